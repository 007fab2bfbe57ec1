// The lint rule for fault points. In the files that it is enabled for, every statement with an `await` directly follows a fault point,
// `await faults.at("area.place")`, in the same block. So a test can kill the object between any two pieces of code that run without
// interruption. Names are literals; scripts/faults.mjs checks that they are unique.

/** The name of a fault point: its area, then its place there. */
const pointName = /^[a-z]+(-[a-z]+)*(\.[a-z]+(-[a-z]+)*)+$/;

const messages = {
  noPoint: 'Put a fault point right before the statement that awaits: await faults.at("area.place").',
  noBlock: "Give this its own block, so that a fault point can stand before it.",
  twoAwaits: "One await a statement: each needs a fault point of its own.",
  loopHead: "Await inside the loop: what its head awaits comes round again without its fault point.",
  noBodyPoint: 'An async iteration awaits each time: begin its body with await faults.at("area.place").',
  callback: "Await it: a fault point cannot stand before a callback.",
  name: 'A fault point is named by a literal such as "area.place".',
  notAlone: "A fault point is a statement of its own.",
  twice: "Each fault point has a name of its own.",
};

const isFunction = (node) => /Function/.test(node.type);

const holdsStatements = (node) =>
  node.type === "BlockStatement" ||
  node.type === "Program" ||
  node.type === "StaticBlock" ||
  node.type === "SwitchCase";

/** A call of `faults.at(…)`, by any path to the port. */
function pointCall(node) {
  if (node.type !== "AwaitExpression" || node.argument.type !== "CallExpression") return null;
  const { callee } = node.argument;
  if (callee.type !== "MemberExpression" || callee.computed || callee.property.name !== "at") return null;
  const { object } = callee;
  const owner = object.type === "MemberExpression" && !object.computed ? object.property : object;
  return owner.name === "faults" ? node.argument : null;
}

const isPoint = (statement) => statement?.type === "ExpressionStatement" && pointCall(statement.expression) !== null;

/** The statement of a block that contains a node, or the node that prevents this. */
function statementOf(node) {
  for (let current = node; current.parent !== null; current = current.parent) {
    const { parent } = current;
    if (holdsStatements(parent) && current !== parent.test) return { statement: current, block: parent };
    if (isFunction(parent)) return { problem: messages.noBlock };
    const again = parent.type === "ForStatement" ? [parent.test, parent.update] : [parent.test];
    if (/^(For|While|DoWhile)Statement$/.test(parent.type) && again.includes(current)) {
      return { problem: messages.loopHead };
    }
    if (/(If|For|ForOf|ForIn|While|DoWhile|Labeled)Statement$/.test(parent.type) && isBody(parent, current)) {
      return { problem: messages.noBlock };
    }
  }
  return { problem: messages.noBlock };
}

function inAsyncFunction(node) {
  let current = node;
  while (current !== null && !isFunction(current)) current = current.parent;
  return current?.async === true;
}

const isBody = (parent, node) => [parent.consequent, parent.alternate, parent.body].includes(node);

function statementBefore({ statement, block }) {
  const list = block.type === "SwitchCase" ? block.consequent : block.body;
  return list[list.indexOf(statement) - 1];
}

export const faultBeforeAwait = {
  meta: { type: "problem" },
  create(context) {
    const report = (node, message) => context.report({ node, message });
    const awaiting = new Set();
    const names = new Set();

    function checkPoint(node, call) {
      const [name, more] = call.arguments;
      if (node.parent.type !== "ExpressionStatement") report(node, messages.notAlone);
      if (more !== undefined || name?.type !== "Literal" || !pointName.test(String(name.value))) {
        report(node, messages.name);
      } else if (names.has(name.value)) {
        report(node, messages.twice);
      } else {
        names.add(name.value);
      }
    }

    function checkAwait(node) {
      const place = statementOf(node);
      if (place.problem !== undefined) {
        report(node, place.problem);
        return;
      }
      if (awaiting.has(place.statement)) {
        report(node, messages.twoAwaits);
        return;
      }
      awaiting.add(place.statement);
      if (!isPoint(statementBefore(place))) report(node, messages.noPoint);
    }

    return {
      AwaitExpression(node) {
        const call = pointCall(node);
        if (call === null) checkAwait(node);
        else checkPoint(node, call);
      },
      ForOfStatement(node) {
        if (node.await !== true) return;
        checkAwait(node);
        if (node.body.type !== "BlockStatement" || !isPoint(node.body.body[0])) report(node, messages.noBodyPoint);
      },
      YieldExpression(node) {
        if (node.delegate && inAsyncFunction(node)) checkAwait(node);
      },
      VariableDeclaration(node) {
        if (node.kind === "await using") checkAwait(node);
      },
      CallExpression(node) {
        const { callee } = node;
        if (callee.type === "MemberExpression" && callee.property.name === "then") report(node, messages.callback);
      },
    };
  },
};
