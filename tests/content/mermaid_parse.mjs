// Parses each Mermaid text of a JSON list (standard input) with the real parser; prints what each became as JSON.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
const require = createRequire(process.argv[2] + "/");
const { JSDOM } = require("jsdom");
const dom = new JSDOM("");
globalThis.window = dom.window;
globalThis.document = dom.window.document;
const { pathToFileURL } = await import("node:url");
const mermaid = (await import(pathToFileURL(require.resolve("mermaid")).href)).default;
const results = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  try {
    await mermaid.parse(text);
    const diagram = await mermaid.mermaidAPI.getDiagramFromText(text);
    const vertices = [...diagram.db.getVertices().values()].map((one) => [one.id, one.text]);
    const edges = diagram.db.getEdges().map((one) => [one.start, one.end, one.text, one.type]);
    results.push({ vertices, edges });
  } catch (error) {
    results.push({ error: String(error) });
  }
}
console.log(JSON.stringify(results));
process.exit(0);
