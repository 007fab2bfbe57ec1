// Repairs the events of the Responses API, so that OpenAI's package of the AI SDK can read what servers send. Handles every known deviation
// from OpenAI's own server: ids of items that change or are missing, items that begin without an event, thinking as `reasoning_text`, texts
// that arrive only in the last event of their item. Invariants: an item has one id in all its events; no event names an item that has not
// begun or has ended; an event that follows the protocol passes unchanged.

import { fieldsOf, isObject, listOf, parseJson, textOrJson, type Fields } from "#lib/json-value.ts";

import { sentenceOf } from "./error-sentence.ts";
import { areLogprobs, cleanItem, cleanResponse, isKind, isSame, isText, numberOf, textOf } from "./responses-fields.ts";
import type { Kind } from "./responses-fields.ts";
import { assertFewItems, beginPart, createItem, isNamed, isOtherCall } from "./responses-item.ts";
import { outputOf, taken, wholeArguments, type Item } from "./responses-item.ts";
import type { StreamRepair } from "./stream-repair.ts";

// Most events are a few characters of text. Finding their item by two expressions costs less than parsing them twice. Within a text the
// quotation marks of such a field are escaped, so that it does not match.
const textDelta = /"type":\s*"response\.output_text\.delta"/;
const itemField = /"item_id":\s*"([^"\\]+)"/;
const indexField = /"output_index":\s*(\d+)/;
const withLogprobs = /"logprobs":\s*\[\s*\{/;

/** Repairs the events of one answer, in order. */
export class ResponsesRepair implements StreamRepair {
  /** The open items, by their number. */
  readonly #open = new Map<number, Item>();
  /** The numbers of the items that ended. */
  readonly #ended = new Set<number>();
  readonly #ids = new Set<string>();
  /** All items, in the order in which they began. */
  readonly #items: Item[] = [];
  /** The number of items that began without an event. */
  #unseen = 0;
  /** The number of the last item. */
  #last = -1;
  #events: Fields[] = [];

  /** Repairs the data of one event. Returns the data of the events to pass on. */
  take(data: string): string[] {
    if (this.#isUsualDelta(data)) return [data];
    const event = parseJson(data);
    if (!isObject(event) || typeof event["type"] !== "string") return [data];
    this.#events = [];
    this.#read(event, event["type"]);
    return this.#events.map((sent) => (sent === event ? data : JSON.stringify(sent)));
  }

  #isUsualDelta(data: string): boolean {
    if (!textDelta.test(data) || withLogprobs.test(data)) return false;
    const item = this.#open.get(Number(indexField.exec(data)?.[1] ?? Number.NaN));
    if (item?.kind !== "message" || item.parts.size === 0) return false;
    return itemField.exec(data)?.[1] === item.id;
  }

  #send(...events: Fields[]): void {
    this.#events.push(...events);
  }

  #read(event: Fields, type: string): void {
    switch (type) {
      case "response.created":
        return this.#created(event);
      case "response.output_item.added":
        return this.#added(event);
      case "response.output_item.done":
        return this.#done(event);
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.#text(event, type, event["delta"]);
      case "response.output_text.done":
        return this.#wholeText(event, "response.output_text.delta", event["text"]);
      case "response.refusal.done":
        return this.#wholeText(event, "response.refusal.delta", event["refusal"]);
      case "response.function_call_arguments.delta":
        return this.#arguments(event, textOf(event["delta"]));
      case "response.function_call_arguments.done":
        return this.#argumentsDone(event);
      case "response.reasoning_summary_part.added":
      case "response.reasoning_summary_part.done":
        return this.#summaryPart(event, type);
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
      case "response.reasoning.delta":
        return this.#thinking(event, event["delta"], false);
      case "response.reasoning_summary_text.done":
      case "response.reasoning_text.done":
      case "response.reasoning.done":
        return this.#thinking(event, event["text"], true);
      case "response.output_text.annotation.added":
        return this.#annotation(event);
      case "response.completed":
      case "response.incomplete":
        return this.#completed(event);
      case "response.failed":
        return this.#failed(event);
      default:
        return this.#send(event);
    }
  }

  /** The event only names the answer. The package refuses it if a field is missing. */
  #created(event: Fields): void {
    const { id, created_at, model } = fieldsOf(event["response"]);
    if (typeof id === "string" && typeof created_at === "number" && typeof model === "string") this.#send(event);
  }

  /** The number of an event's item: the given one, else that of the open item with its id, else that of the last item. */
  #indexOf(event: Fields, id: unknown): number {
    const given = numberOf(event["output_index"]);
    if (given !== null) return given;
    const known = [...this.#open.values()].find((item) => item.id === id);
    return known?.index ?? Math.max(this.#last, 0);
  }

  /** Opens an item. A number that an ended item has gets the next free number. */
  #begin(kind: Kind, wanted: number, fields: Fields): Item {
    const { id } = fields;
    let index = wanted;
    assertFewItems({ all: this.#items.length + 1, open: this.#open.size + 1, unseen: this.#unseen });
    while (this.#open.has(index) || this.#ended.has(index)) index += 1;
    let unique = isText(id) ? id : `${kind}_${index}`;
    const inUse = [...this.#open.values()].some((item) => item.id === unique);
    if (inUse || (!isText(id) && this.#ids.has(unique))) unique = `${unique}_${index}`;
    const item = createItem(fields, { kind, id: unique, index, givenIndex: wanted });
    this.#open.set(index, item);
    this.#items.push(item);
    this.#ids.add(unique);
    this.#last = index;
    return item;
  }

  /** The open item of an event. An event of an item that has not begun, or has ended, begins one. */
  #itemOf(event: Fields, kind: Kind, given: Fields = {}): Item {
    const names = { ...given, id: given["id"] ?? event["item_id"] };
    const number = numberOf(event["output_index"]);
    const index = this.#indexOf(event, names.id);
    const ofKind = [...this.#open.values()].filter((item) => item.kind === kind);
    const named = ofKind.filter((item) => isNamed(item, names));
    // Ids change in some streams, and numbers repeat in others. So the id counts first, and the number if no open item has the id.
    const isAt = (item: Item): boolean => (number === null ? item.index === index : item.givenIndex === number);
    const known = named.find(isAt) ?? named[0] ?? ofKind.findLast(isAt);
    if (known !== undefined) return known;
    // The number is wrong if an item of another kind has it, and only one of the kind is open.
    if (ofKind.length === 1 && ofKind[0] !== undefined && this.#open.has(index)) return ofKind[0];
    return this.#beginUnseen(kind, index, names);
  }

  /** Begins an item whose first event did not arrive. */
  #beginUnseen(kind: Kind, index: number, fields: Fields): Item {
    this.#unseen += 1;
    const item = this.#begin(kind, index, fields);
    if (kind !== "function_call" || item.name !== "") this.#sendAdded(item, {});
    return item;
  }

  #sendAdded(item: Item, fields: Fields): void {
    item.isBegun = true;
    const call = item.kind === "function_call" ? { call_id: item.callId, name: item.name, arguments: "" } : {};
    const value = { ...fields, type: item.kind, id: item.id, ...call };
    this.#send({ type: "response.output_item.added", output_index: item.index, item: value });
  }

  #added(event: Fields): void {
    const fields = fieldsOf(event["item"]);
    const kind = fields["type"];
    if (!isKind(kind)) return this.#send(event);
    const given = numberOf(event["output_index"]);
    const isSameItem = (item: Item): boolean =>
      item.kind === kind && item.givenIndex === given && !isOtherCall(item, fields);
    if ([...this.#open.values()].some(isSameItem)) return;
    const item = this.#begin(kind, given ?? this.#last + 1, fields);
    // The package shows the name of a call when the call begins.
    if (kind === "function_call" && item.name === "") return;
    item.isBegun = true;
    const clean = cleanItem(fields, item);
    if (kind === "function_call") clean["arguments"] = textOf(fields["arguments"]);
    this.#send(
      isSame(clean, fields) && given === item.index ? event : { ...event, output_index: item.index, item: clean },
    );
  }

  #done(event: Fields): void {
    const fields = fieldsOf(event["item"]);
    const kind = fields["type"];
    if (!isKind(kind)) return this.#send(event);
    // A repeated end of an item.
    if (this.#hasEnded(event, fields)) return;
    this.#end(this.#itemOf(event, kind, fields), fields, event);
  }

  /** Ends an item with the fields of its last event. */
  #end(item: Item, fields: Fields, event: Fields): void {
    const { kind } = item;
    if (kind === "message") this.#missingText(item, fields);
    if (kind === "reasoning") this.#missingThinking(item, fields);
    const clean = cleanItem(fields, item);
    if (kind === "function_call") this.#closeCall(item, clean, fields);
    this.#open.delete(item.index);
    this.#ended.add(item.index);
    const isUnchanged = isSame(clean, fields) && event["output_index"] === item.index;
    this.#send(isUnchanged ? event : { ...event, output_index: item.index, item: clean });
  }

  #closeCall(item: Item, clean: Fields, { arguments: given, name, status }: Fields): void {
    if (item.name === "") item.name = textOf(name);
    if (!item.isBegun) this.#sendAdded(item, {});
    clean["name"] = item.name;
    const text = given === undefined || given === null ? "" : textOrJson(given);
    clean["arguments"] = text === "" ? item.written : text;
    if (!isText(status)) clean["status"] = "completed";
  }

  /** Sends the text of a message whose pieces did not arrive. */
  #missingText(item: Item, { content }: Fields): void {
    for (const [at, part] of listOf(content).entries()) {
      const { type, text, refusal } = fieldsOf(part);
      const delta = type === "refusal" ? "response.refusal.delta" : "response.output_text.delta";
      this.#textOf(item, { content_index: at }, { type: delta, text: textOf(refusal ?? text), isWhole: true });
    }
  }

  #text(event: Fields, type: string, value: unknown): void {
    if (!isText(value)) return;
    this.#textOf(this.#itemOf(event, "message"), event, { type, text: value, isWhole: false });
  }

  /** The event that ends a text. It has the whole text. */
  #wholeText(event: Fields, type: string, value: unknown): void {
    if (isText(value) && !this.#hasEnded(event)) {
      this.#textOf(this.#itemOf(event, "message"), event, { type, text: value, isWhole: true });
    }
    this.#send(event);
  }

  /** Whether the item of an event ended before. */
  #hasEnded(event: Fields, fields: Fields = { id: event["item_id"] }): boolean {
    const given = numberOf(event["output_index"]);
    if (given === null || !this.#ended.has(given)) return false;
    return ![...this.#open.values()].some((item) => isNamed(item, fields));
  }

  /** Sends a piece of text. A whole text is sent only if no piece of it arrived. */
  #textOf(item: Item, event: Fields, { type, text, isWhole }: { type: string; text: string; isWhole: boolean }): void {
    const name = String(numberOf(event["content_index"]) ?? 0);
    if (text === "" || (isWhole && item.parts.has(name))) return;
    beginPart(item, name, true);
    const { logprobs, ...fields } = event;
    const keepsLogprobs = areLogprobs(logprobs);
    if (!isWhole && keepsLogprobs && this.#names(event, item)) return this.#send(event);
    const kept = keepsLogprobs && logprobs !== undefined ? { logprobs } : {};
    this.#send({ ...fields, ...kept, type, item_id: item.id, output_index: item.index, delta: text });
  }

  /** Whether an event names its item as the package knows it. */
  #names(event: Fields, { id, index }: Item): boolean {
    return event["item_id"] === id && event["output_index"] === index;
  }

  #arguments(event: Fields, delta: string): void {
    if (delta === "") return;
    const item = this.#itemOf(event, "function_call");
    item.written += delta;
    if (!item.isBegun) return;
    const isUnchanged = event["delta"] === delta && this.#names(event, item);
    this.#send(isUnchanged ? event : { ...event, item_id: item.id, output_index: item.index, delta });
  }

  #argumentsDone(event: Fields): void {
    if (this.#hasEnded(event)) return;
    const item = this.#itemOf(event, "function_call");
    const text = textOrJson(event["arguments"] ?? "");
    if (item.written === "") this.#arguments({ ...event, type: "response.function_call_arguments.delta" }, text);
    const isUnchanged = event["arguments"] === text && this.#names(event, item);
    this.#send(isUnchanged ? event : { ...event, item_id: item.id, output_index: item.index, arguments: text });
  }

  #summaryPart(event: Fields, type: string): void {
    if (this.#hasEnded(event)) return;
    const item = this.#itemOf(event, "reasoning");
    const name = `summary ${String(numberOf(event["summary_index"]) ?? 0)}`;
    const isEnd = type.endsWith(".done");
    if (isEnd !== item.parts.has(name)) return;
    if (!isEnd) beginPart(item, name, false);
    const at = [...item.parts.keys()].indexOf(name);
    const isUnchanged = event["item_id"] === item.id && event["summary_index"] === at;
    this.#send(isUnchanged ? event : { ...event, item_id: item.id, summary_index: at });
  }

  /** A piece of thinking, or its whole text in the event that ends it. */
  #thinking(event: Fields, value: unknown, isWhole: boolean): void {
    const isLate = isWhole && this.#hasEnded(event);
    if (isText(value) && !isLate) {
      const summary = numberOf(event["summary_index"]);
      const content = numberOf(event["content_index"]) ?? 0;
      const name = summary === null ? `content ${content}` : `summary ${summary}`;
      this.#thinkingOf(this.#itemOf(event, "reasoning"), name, { event, text: value, isWhole });
    }
    if (isWhole) this.#send(event);
  }

  #thinkingOf(item: Item, name: string, given: { event: Fields; text: string; isWhole: boolean }): void {
    const { event, text, isWhole } = given;
    if (text === "" || (isWhole && item.parts.get(name) === true)) return;
    if (!item.parts.has(name)) this.#beginPart(item, item.parts.size);
    beginPart(item, name, true);
    const summary_index = [...item.parts.keys()].indexOf(name);
    const type = "response.reasoning_summary_text.delta";
    const isUnchanged =
      event["type"] === type && event["item_id"] === item.id && event["summary_index"] === summary_index;
    const sent = { type, item_id: item.id, output_index: item.index, summary_index, delta: text };
    this.#send(isUnchanged ? event : sent);
  }

  /** Begins a part of thinking whose event did not arrive. The first part begins with its item. */
  #beginPart({ id, index }: Item, at: number): void {
    if (at === 0) return;
    const fields = { item_id: id, output_index: index };
    this.#send({ type: "response.reasoning_summary_part.done", ...fields, summary_index: at - 1 });
    this.#send({ type: "response.reasoning_summary_part.added", ...fields, summary_index: at });
  }

  /** Sends the thinking of an item whose pieces did not arrive: its summary, or its content. */
  #missingThinking(item: Item, { summary, content }: Fields): void {
    if ([...item.parts.values()].includes(true)) return;
    const texts = [summary, content].map((list) => listOf(list).map((part) => textOf(fieldsOf(part)["text"])));
    const shown = texts.find((list) => list.some(isText)) ?? [];
    for (const [at, text] of shown.entries()) this.#thinkingOf(item, `whole ${at}`, { event: {}, text, isWhole: true });
  }

  /** A citation of a page. The package refuses an annotation that lacks a field, and needs none of another kind. */
  #annotation(event: Fields): void {
    const annotation = fieldsOf(event["annotation"]);
    const { type, url, title, start_index, end_index } = annotation;
    if (type !== "url_citation" || !isText(url)) return this.#send({ ...event, type: "annotation" });
    const filled = {
      title: textOf(title),
      start_index: numberOf(start_index) ?? 0,
      end_index: numberOf(end_index) ?? 0,
    };
    const isUnchanged = isSame({ ...annotation, ...filled }, annotation);
    this.#send(isUnchanged ? event : { ...event, annotation: { ...annotation, ...filled } });
  }

  /** The last event. Items that lack their events are read from the list of all items. */
  #completed(event: Fields): void {
    const response = fieldsOf(event["response"]);
    const output = outputOf(response);
    // An item of the list is one that began with its id, else the next one of its kind.
    const begun = new Set(this.#items);
    const isEmpty = begun.size === 0;
    const found = output.map((fields) => taken(begun, (item) => item.kind === fields["type"] && isNamed(item, fields)));
    for (const [index, item] of output.entries()) {
      const kind = item["type"];
      const known = found[index] ?? taken(begun, (one) => one.kind === kind);
      const event = { type: "response.output_item.done", output_index: index, item };
      if (known !== undefined) {
        if (this.#open.get(known.index) === known) this.#end(known, item, event);
      } else if (!isKind(kind)) {
        if (isEmpty) this.#send(event);
        // Thinking belongs before the content that follows it.
      } else if (kind !== "reasoning" || this.#items.every((one) => one.kind === kind)) {
        this.#end(this.#beginUnseen(kind, index, item), item, event);
      }
    }
    if (event["type"] === "response.completed") this.#closeOpenCalls();
    const clean = cleanResponse(response);
    const isUnchanged = isObject(event["response"]) && isSame(clean, response);
    this.#send(isUnchanged ? event : { ...event, response: clean });
  }

  /** Ends calls that lack their last event, although the answer is complete. */
  #closeOpenCalls(): void {
    for (const item of this.#open.values()) {
      const text = wholeArguments(item);
      if (text === null) continue;
      const fields = { type: item.kind, id: item.id, name: item.name, arguments: text };
      this.#end(item, fields, { type: "response.output_item.done", output_index: item.index, item: fields });
    }
  }

  #failed(event: Fields): void {
    const response = fieldsOf(event["response"]);
    const error = fieldsOf(response["error"]);
    const message = sentenceOf(response["error"]) ?? "The server reported a failure without a message.";
    const sequence_number = numberOf(event["sequence_number"]) ?? 0;
    const code = isText(error["code"]) ? error["code"] : null;
    const isUnchanged = event["sequence_number"] === sequence_number && error["message"] === message;
    this.#send(
      isUnchanged
        ? event
        : { ...event, sequence_number, response: { ...response, usage: null, error: { code, message } } },
    );
  }
}
