// The contract of the file tools over the files of a thread.

import { ToolCaller } from "../tool-caller.ts";
import { checkFileTools } from "./workspace-contract.ts";

checkFileTools("the files of a thread", async () => {
  const coder = await ToolCaller.create("coder");
  return {
    put: async (path, content) =>
      void (await coder.files.put(path, typeof content === "string" ? content : content.slice())),
    read: (path) => coder.read(path),
    async call(tool, args) {
      const { result, error, details } = await coder.call(tool, args);
      return { text: result ?? `Error: ${error ?? ""}`, details };
    },
  };
});
