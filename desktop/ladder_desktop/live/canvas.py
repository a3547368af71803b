"""A grid of equal cells as one numpy image: what the block grid and the batch timeline paint with.

The pixels are an array [rows, cell height, columns, cell width] of 0xffRRGGBB, which in memory is an ordinary image;
filling all cells at once, or stamping one shape into many, is a single assignment.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor, QImage

Colours = npt.NDArray[np.uint32]
Numbers = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]


class Canvas:
    """`rows` x `columns` cells of `height` x `width` device pixels."""

    def __init__(self, rows: int, columns: int, height: int, width: int, background: QColor) -> None:
        self.background = np.uint32(background.rgb())
        self.pixels = np.full((rows, height, columns, width), self.background, np.uint32)

    @property
    def height(self) -> int:
        """Height of a cell in pixels."""
        return int(self.pixels.shape[1])

    @property
    def width(self) -> int:
        """Width of a cell in pixels."""
        return int(self.pixels.shape[3])

    @property
    def columns(self) -> int:
        """How many cells stand beside each other."""
        return int(self.pixels.shape[2])

    def shift(self, columns: int) -> None:
        """Move all cells to the left; those that go over the edge are gone, and what stands at the right is of no use."""
        self.pixels[:, :, : self.columns - columns] = self.pixels[:, :, columns:].copy()

    def fill_up(self, levels: npt.NDArray[Any], full: Colours, empty: Colours) -> None:
        """Fill every cell from its foot up to `levels` pixels with `full`, and the rest with `empty`; all [rows, columns]."""
        from_foot = np.arange(self.height, 0, -1)[None, :, None]
        strip = np.where(from_foot <= levels[:, None, :], full[:, None, :], empty[:, None, :])
        self.pixels[:] = strip[:, :, :, None]

    def fill_some(
        self, rows: Numbers, columns: Numbers, levels: Numbers, full: Colours, empty: Colours, gap: int
    ) -> None:
        """Fill the cells (rows[i], columns[i]) in the same way, and clear their right and lower edge."""
        from_foot = np.arange(self.height, 0, -1)[None, :]
        strips = np.where(from_foot <= levels[:, None], full[:, None], empty[:, None])
        strips[:, self.height - gap :] = self.background
        cells = np.repeat(strips[:, :, None], self.width, axis=2)
        cells[:, :, self.width - gap :] = self.background
        self.pixels[rows, :, columns, :] = cells

    def stamp(self, mask: Mask, rows: Numbers, columns: Numbers, colours: Colours | np.uint32) -> None:
        """Paint the shape `mask` [height, width] into the cells (rows[i], columns[i]), in one colour or one each."""
        ys, xs = np.nonzero(mask)
        ink = colours[:, None] if isinstance(colours, np.ndarray) else colours
        self.pixels[rows[:, None], ys, columns[:, None], xs] = ink

    def image(self, device_pixel_ratio: float) -> QImage:
        """Return the picture; it shares this canvas's memory and is valid as long as the canvas."""
        rows, height, columns, width = self.pixels.shape
        image = QImage(
            self.pixels.data, columns * width, rows * height, columns * width * 4, QImage.Format.Format_RGB32
        )
        image.setDevicePixelRatio(device_pixel_ratio)
        return image


def blend(over: QColor, under: QColor, share: float) -> QColor:
    """Return `over` at the given opacity upon `under`."""
    pairs = zip(red_green_blue(over), red_green_blue(under), strict=True)
    return QColor.fromRgbF(*(share * a + (1 - share) * b for a, b in pairs))


def red_green_blue(colour: QColor) -> tuple[float, float, float]:
    """Return a colour's parts, 0 to 1 each."""
    return colour.redF(), colour.greenF(), colour.blueF()


def outline(height: int, width: int, thick: int, gap: int = 0) -> Mask:
    """Return the frame of a cell that leaves `gap` pixels at its right and lower edge."""
    mask = np.zeros((height, width), np.bool_)
    inner = mask[: height - gap, : width - gap]
    inner[:thick], inner[-thick:], inner[:, :thick], inner[:, -thick:] = True, True, True, True
    return mask


def hatch(height: int, width: int, every: int, thick: int, gap: int = 0) -> Mask:
    """Return diagonal lines over a cell that leaves `gap` pixels at its right and lower edge."""
    ys, xs = np.indices((height, width))
    mask: Mask = (xs + ys) % every < thick
    return mask & (ys < height - gap) & (xs < width - gap)


def cross(height: int, width: int, thick: int, gap: int = 0) -> Mask:
    """Return both diagonals of the largest square in the middle of a cell."""
    h, w = height - gap, width - gap
    side = min(h, w)
    ys, xs = np.indices((height, width))
    y, x = ys - (h - side) // 2, xs - (w - side) // 2
    inside = (x >= 0) & (y >= 0) & (x < side) & (y < side)
    near = (abs(x - y) < thick) | (abs(x + y - side + 1) < thick)
    return inside & near


def corner(height: int, width: int, side: int, gap: int = 0) -> Mask:
    """Return a square in the upper right corner of a cell that leaves `gap` pixels at its right and lower edge."""
    mask = np.zeros((height, width), np.bool_)
    mask[:side, max(0, width - gap - side) : width - gap] = True
    return mask


def middle(height: int, width: int, tall: int, wide: int) -> Mask:
    """Return a rectangle in the middle of a cell."""
    mask = np.zeros((height, width), np.bool_)
    top, left = (height - tall) // 2, (width - wide) // 2
    mask[top : top + tall, left : left + wide] = True
    return mask


def ring(height: int, width: int, side: int, thick: int) -> Mask:
    """Return the frame of a square in the middle of a cell."""
    inner = max(0, side - 2 * thick)
    return middle(height, width, side, side) & ~middle(height, width, inner, inner)


def triangle(height: int, width: int, side: int, up: bool) -> Mask:
    """Return a triangle in the middle of a cell, as tall as it is wide, that points up or down."""
    ys, xs = np.indices((height, width))
    y = (ys - (height - side) // 2 + 0.5) / side
    x = abs((xs - (width - side) // 2 + 0.5) / side - 0.5)
    mask: Mask = (y > 0) & (y < 1) & (x < (y if up else 1 - y) / 2)
    return mask
