// Changes just-bash so that a command that only computes can be ended. The interpreter of just-bash never waits between two commands, so
// a time limit or a stop cannot be noticed. With these changes it waits for a function of Threadhold, `coverage.turn`, before each command and
// each step of `awk`; `sed` and `jq` report the value that they work on, and regular expressions have a limit of steps. npm and `ensure-install`
// run this file.

import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { fromRoot } from "./paths.mjs";

/**
 * The maximum number of steps of a regular expression. A step is one state of the expression for one character. All expressions for a line of
 * `sed` share the number, and so do all those of a program of `jq`.
 */
const mostSteps = 100_000_000;

/** The maximum length of a regular expression. The time to compile one grows faster than its length. */
const mostCharacters = 100_000;

const turnAfter = (units, context = "e") => `${context}.coverage?.isDue(${units})&&await ${context}.coverage.turn()`;

/** Each change of the module for browsers inserts `added` between `before` and `after`, which occur together exactly once. */
const changes = [
  // Commands of the shell, each of which takes about as long as 40 expressions of awk.
  { before: "this.ctx.coverage?.hit(`bash:cmd:${t.type}`)", added: `,${turnAfter(40, "this.ctx")}` },
  // Expansions, arithmetic, conditions, patterns and assignments, of which one command of the shell can have thousands.
  { before: "async function jl(e,t,n=!1){", added: `${turnAfter(5)};` },
  { before: "async function Mi(e,t,n,r){", added: `e.coverage?.hit("bash:arithmetic");${turnAfter(1)};` },
  { before: "async function os(e,t){", added: `${turnAfter(5)};` },
  { before: "for(let c of a.patterns){", added: `${turnAfter(5)};` },
  { before: "for(let s of t.assignments){", added: `${turnAfter(5)};` },
  // Expressions and statements of awk.
  { before: "e.coverage?.hit(`awk:expr:${t.type}`)", added: `,${turnAfter(1)}` },
  { before: "e.coverage?.hit(`awk:stmt:${t.type}`)", added: `,${turnAfter(1)}` },
  // Lines of sed. Its commands that have an address, and those that are executed, with the text of the line.
  { before: "if(I.restartCycle=!1,", added: `${turnAfter(2, "I")},` },
  {
    before: "if(t.deleted||t.quit||t.quitSilent||t.restartCycle)break;let l=e[a];",
    added: 'l.address&&t.coverage?.hit("sed:address",t.patternSpace);',
  },
  { before: "switch(t.coverage?.hit(`sed:cmd:${e.type}`", added: ",i" },
  // Expressions of jq, with their input.
  { before: "n.coverage?.hit(`jq:node:${t.type}`", added: ",e" },
  // Regular expressions count their steps: when they are compiled, in the engine that keeps the states of a text, and in the other one.
  {
    before: "numInst(){return this.inst.length}",
    added: `spend(t){let n=this.budget??this;if((n.steps=(n.steps??0)+t)>${mostSteps})throw new C("regular expression step limit exceeded (${mostSteps})","regex_steps")}`,
  },
  {
    before: "this._re2=Vr.compile(s,i)",
    added: ";let o=this._re2.re2().prog;o.budget=r.budget,o.spend(2*o.numInst())",
    after: "}catch(s)",
  },
  { before: "let a=t.step(o),l=a>>3,c=a&7;if(c===0)break;if(", added: "this.prog.spend(1)," },
  {
    before: "else{let o=n+(r===J.UNANCHORED?0:Se.MAX_RUNE+1);if(t.nextMap.has(o))return t.nextMap.get(o)}let s=[];",
    added: "this.prog.spend(2*t.nfaStates.length);",
  },
  { before: "let p=n+c;if(d=t.context(p),", added: "this.prog.spend(1+i.size)," },
  { before: "match(t,n,r){let s=this.re2.cond;", added: "this.prog.spend(16);" },
  {
    before: 'throw new Error("invalid regular expression limits");',
    added: `if(t.length>${mostCharacters})throw new C("regular expression length limit exceeded (${mostCharacters})","regex_steps");`,
  },
  // Regular expressions for one line of sed share the count.
  { before: "let u=ie(c,a", added: ",{budget:t}", after: "),f=u.test" },
  { before: 'h=ie(c,`g${o.ignoreCase?"i":""}`', added: ",{budget:t}", after: ")" },
  { before: 'let d=ie(c,`g${o.ignoreCase?"i":""}`', added: ",{budget:t}", after: ")" },
  { before: "return ie(o", added: ',"",{budget:s}', after: ").test(r)}catch" },
  // Regular expressions of one program of jq share the count.
  { before: "return[ie(o,a", added: ",r", after: ").test(e)]" },
  { before: "c=ie(o,`${a}d`", added: ",r", after: ").exec(e)" },
  { before: "c=ie(o,a", added: ",r", after: ").match(e)" },
  { before: "return[ie(a,c", added: ",r", after: ").replace(e,l)]" },
  { before: "return[ie(a,u", added: ",r", after: ").replace(e,l)]" },
  { before: 'l=ie(o,a.includes("g")?a:`${a}g`', added: ",r", after: "),c=1" },
  { before: 'l=ie(o,a.includes("g")?a:`${a}g`', added: ",r", after: "),c=[]" },
];

/** Commands ignore an error of a regular expression, as if nothing matched. With the second text, the limit of steps ends the command. */
const ignored = "catch{";
const rethrown = 'catch(thrown){if(thrown?.limitType==="regex_steps")throw thrown;';

/** The last line of a changed module. It identifies the changes, so that a module with those of another version is refused. */
const label = "// Changed for Threadhold: ";
const version = createHash("sha256")
  .update(JSON.stringify([changes, rethrown]))
  .digest("hex");

/** Changes the installed just-bash. A second call changes nothing. */
export function patchShell(file = fromRoot("node_modules/just-bash/dist/bundle/browser.js")) {
  // An install without development packages has no shell to change.
  if (!existsSync(file)) return;
  let text = readFileSync(file, "utf8");
  if (text.endsWith(`${label}${version}\n`)) return;
  if (text.includes(label)) throw new Error(`${file} has the changes of another version of Threadhold. Run npm ci.`);
  for (const { before, added, after = "" } of changes) {
    if (text.split(before + after).length !== 2) throw unknownShell(`${before}${after} does not occur exactly once`);
    text = text.replace(before + after, () => before + added + after);
  }
  text = text.replaceAll(ignored, rethrown);
  if (!text.includes(rethrown)) throw unknownShell(`${ignored} does not occur`);
  // A new file, because the old one can be a hard link into a cache of packages. Its name is that of this process, because two installs can run.
  const changed = `${file}.${process.pid}`;
  writeFileSync(changed, `${text}\n${label}${version}\n`);
  renameSync(changed, file);
}

function unknownShell(reason) {
  return new Error(`just-bash has changed: ${reason}. Update scripts/lib/patch-shell.mjs.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) patchShell();
