// The components of assistant-ui, without a design of their own: messages, calls with the approvals that they need, and the composer.

import {
  AttachmentPrimitive,
  AuiIf,
  ComposerPrimitive,
  ErrorPrimitive,
  MessagePrimitive,
  ThreadPrimitive,
} from "@assistant-ui/react";
import type { TextMessagePartProps, ToolCallMessagePartProps } from "@assistant-ui/react";

import "../pages.css";

export function Conversation() {
  return (
    <ThreadPrimitive.Root>
      <h1>A thread in assistant-ui</h1>
      <ThreadPrimitive.Messages>
        {({ message }) => (message.role === "user" ? <UserMessage /> : <AssistantMessage />)}
      </ThreadPrimitive.Messages>
      <ComposerPrimitive.Root>
        <ComposerPrimitive.Input aria-label="Message" />
        <ComposerPrimitive.Attachments>{() => <Attachment />}</ComposerPrimitive.Attachments>
        <ComposerPrimitive.AddAttachment aria-label="File">Attach</ComposerPrimitive.AddAttachment>
        <AuiIf condition={({ thread }) => thread.isRunning}>
          <ComposerPrimitive.Cancel>Stop</ComposerPrimitive.Cancel>
        </AuiIf>
        <AuiIf condition={({ thread }) => !thread.isRunning}>
          <ComposerPrimitive.Send>Send</ComposerPrimitive.Send>
        </AuiIf>
      </ComposerPrimitive.Root>
    </ThreadPrimitive.Root>
  );
}

function UserMessage() {
  return (
    <article data-role="user">
      <MessagePrimitive.Attachments>{() => <Attachment />}</MessagePrimitive.Attachments>
      <MessagePrimitive.Parts components={{ Text }} />
    </article>
  );
}

function AssistantMessage() {
  return (
    <article data-role="assistant">
      <MessagePrimitive.Parts components={{ Text, tools: { Fallback: Call } }} />
      <MessagePrimitive.Error>
        <ErrorPrimitive.Root>
          <ErrorPrimitive.Message />
        </ErrorPrimitive.Root>
      </MessagePrimitive.Error>
    </article>
  );
}

function Text({ text }: TextMessagePartProps) {
  return <p>{text}</p>;
}

function Attachment() {
  return (
    <AttachmentPrimitive.Root>
      <AttachmentPrimitive.Name />
    </AttachmentPrimitive.Root>
  );
}

function Call({ toolName, argsText, result, approval, respondToApproval }: ToolCallMessagePartProps) {
  const isUndecided = approval !== undefined && approval.approved === undefined;
  return (
    <div className="call">
      {toolName} {argsText}
      {result === undefined ? null : ` → ${JSON.stringify(result)}`}
      {isUndecided ? (
        <div>
          <button onClick={() => void respondToApproval({ approved: true })}>Approve</button>
          <button onClick={() => void respondToApproval({ approved: false })}>Decline</button>
        </div>
      ) : null}
    </div>
  );
}
