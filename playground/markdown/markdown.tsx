// Renders markdown from models, tools and people, none of whom are trusted: HTML is not rendered, links send no
// referrer and cannot run code, and an external image is loaded only after a click.

import { memo, useMemo } from "react";
import type { ReactElement } from "react";
import ReactMarkdown from "react-markdown";
import type { Components, ExtraProps, Options } from "react-markdown";

import { blocksOf } from "./blocks.ts";
import { CodeBlock } from "./code-block.tsx";
import { addressOfPath, filePaths, pathOfAddress } from "./file-paths.ts";
import { Formula } from "./formula.tsx";
import { putFormulas, takeFormulas } from "./formulas.ts";
import type { FormulaSource } from "./formulas.ts";
import { gfmSyntax } from "./gfm-syntax.ts";
import { PlainOnFailure, PlainText } from "./plain-on-failure.tsx";
import { RemoteImage } from "./remote-image.tsx";
import { safeAddress } from "./safe-address.ts";
import { ThreadFile } from "./thread-file.tsx";
import { isHardBlock, isLongText } from "./too-much.ts";

import css from "./markdown.module.css";

const plugins = [gfmSyntax, filePaths];

/** The address of a link: a path of a thread's file stays unchanged, and any other address has to be external. */
function addressOf(address: string): string {
  if (pathOfAddress(address) !== null) return address;
  return addressOfPath(decoded(address)) ?? safeAddress(address);
}

function decoded(address: string): string {
  try {
    return decodeURIComponent(address);
  } catch {
    return address;
  }
}

const components: Components & { math: (props: ExtraProps) => ReactElement } = {
  a: ({ href, children }) => {
    const path = pathOfAddress(href);
    if (path !== null) return <ThreadFile path={path}>{children}</ThreadFile>;
    return href === undefined || href === "" ? (
      <span>{children}</span>
    ) : (
      <a href={href} target="_blank" rel="noopener noreferrer nofollow">
        {children}
      </a>
    );
  },
  img: ({ src, alt }) => <RemoteImage src={typeof src === "string" ? src : ""} alt={alt ?? ""} />,
  math: ({ node }) => <Formula {...formulaOf(node)} />,
  pre: ({ node }) => <CodeBlock {...codeOf(node)} />,
  table: ({ children }) => (
    // A scrollable element has to be reachable by keyboard.
    <div className={css["table"]} tabIndex={0} role="group" aria-label="Table">
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => (
    <input type="checkbox" disabled checked={checked === true} aria-label={checked === true ? "Done" : "Open"} />
  ),
};

/** A text as markdown. */
export const Markdown = memo(function Markdown({ text }: { text: string }): ReactElement {
  const blocks = useMemo(() => (isLongText(text) ? null : blocksOf(text)), [text]);
  return (
    <div className={css["markdown"]}>
      {blocks === null ? (
        <PlainText text={text} />
      ) : (
        // The index of a block identifies it, because the text only grows.
        blocks.map((block, at) => <Block key={at} text={block} />)
      )}
    </div>
  );
});

const Block = memo(function Block({ text }: { text: string }): ReactElement {
  const taken = useMemo(() => (isHardBlock(text) ? null : takeFormulas(text)), [text]);
  if (isHardBlock(text)) return <PlainText text={text} />;
  const all: Options["remarkPlugins"] = taken === null ? plugins : [...plugins, [putFormulas, taken.formulas]];
  return (
    <PlainOnFailure text={text}>
      <ReactMarkdown remarkPlugins={all} components={components} urlTransform={addressOf} skipHtml={false}>
        {taken?.text ?? text}
      </ReactMarkdown>
    </PlainOnFailure>
  );
});

/** The formula that the plugin stored in the node. */
function formulaOf(node: ExtraProps["node"]): FormulaSource {
  const { dataTex, dataDisplay } = node?.properties ?? {};
  const [written] = node?.children ?? [];
  const source = written?.type === "text" ? written.value : "";
  return { tex: String(dataTex ?? ""), display: dataDisplay === "true", source };
}

/** The text and the language of a block of code. */
function codeOf(node: ExtraProps["node"]): { code: string; language: string | null } {
  const code = node?.children[0];
  if (code?.type !== "element") return { code: "", language: null };
  const text = code.children.map((child) => (child.type === "text" ? child.value : "")).join("");
  const names = code.properties["className"];
  const named = Array.isArray(names) ? names.map(String).find((name) => name.startsWith("language-")) : undefined;
  return { code: text.replace(/\n$/, ""), language: named?.slice("language-".length) ?? null };
}
