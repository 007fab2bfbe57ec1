// The public entry `threadhold/react/ai-sdk`.

export type { ThreadholdDataParts, ThreadholdUIMessage } from "./ui-message.ts";
export { useThreadholdChat } from "./use-threadhold-chat.ts";
export type { ThreadholdChat, ThreadholdChatOptions } from "./use-threadhold-chat.ts";
