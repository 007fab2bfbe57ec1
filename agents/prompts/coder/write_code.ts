import { definePrompt } from "threadhold";

export default definePrompt({
  name: "write_code",
  toolDescription: "Works on files",
  model: "demo_coder",
  includeChat: true,
  tools: ["read_file", "write_file", "edit_file", "list_files", "search"],
  prompt: "You work on the files of this thread. Look at a file before you change it, and show what you changed.",
});
