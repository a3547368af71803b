"""The operations of the engine: Triton kernels, their torch twins, and the choice between them."""
