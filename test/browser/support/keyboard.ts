// Walks through a page with the Tab key, as a person without a pointer does.

import type { Page } from "playwright-core";

import { drawn } from "./look.ts";

/** More presses of Tab than any page needs. */
const mostPresses = 500;

/** The stops in a field for a date, one for each part of the date. */
const mostParts = 6;

/**
 * Presses Tab until the focus has been everywhere, and returns what is wrong, as sentences: elements that Tab does not reach, that show no
 * focus, or that are outside of the window or covered while they have the focus.
 */
export async function tabProblems(page: Page): Promise<string[]> {
  await page.evaluate(begin);
  const problems: string[] = [];
  let same = 0;
  for (let presses = 0; presses < mostPresses; presses += 1) {
    await page.keyboard.press("Tab");
    let at = await page.evaluate(look, false);
    // A list may correct its position after the focus has moved.
    if (typeof at !== "string" && at.length > 0) {
      await drawn(page);
      at = await page.evaluate(look, true);
    }
    if (at === "around") return [...problems, ...(await page.evaluate(end))];
    same = at === "same" ? same + 1 : 0;
    // The field of an editor indents with Tab, and its description names the way out.
    if (same === mostParts) await page.keyboard.press("Escape");
    if (at !== "same") problems.push(...at);
  }
  return [...problems, `After ${mostPresses} presses of Tab the focus has not come around.`];
}

/** Marks every element that Tab should reach. */
function begin(): void {
  const wanted = "a[href], button, input, select, textarea, summary, [tabindex]";
  for (const element of document.querySelectorAll<HTMLElement | SVGElement>(wanted)) {
    delete element.dataset["tab"];
    const isOff =
      element.matches(":disabled, [tabindex='-1'], input[type=file]") || element.closest("[inert]") !== null;
    // One button of a group of radio buttons is in the tab order.
    const isOtherChoice = element instanceof HTMLInputElement && element.type === "radio" && !element.checked;
    const isVisible = element.checkVisibility({ visibilityProperty: true });
    if (isOff || isOtherChoice || !isVisible) continue;
    element.dataset["tab"] = "wanted";
  }
}

/** The problems of the focused element, which may be looked at again; `same` if it was focused before this press, `around` if it was focused earlier. Between the last element and the first, none has the focus. */
function look(again: boolean): string[] | "same" | "around" {
  const element = document.activeElement;
  if (element === null || element === document.body || !("dataset" in element)) return [];
  const marked = element as HTMLElement;
  if (!again && marked.dataset["tab"] === "current") return "same";
  if (marked.dataset["tab"] === "reached") return "around";
  for (const before of document.querySelectorAll<HTMLElement>("[data-tab=current]")) before.dataset["tab"] = "reached";
  marked.dataset["tab"] = "current";
  const name = element.outerHTML.slice(0, 160);
  const box = element.getBoundingClientRect();
  const wrong: string[] = [];
  // An ancestor may draw the indicator, such as the frame of a field, or the chosen item of a list.
  const active = document.getElementById(element.getAttribute("aria-activedescendant") ?? "");
  const above = element.parentElement?.parentElement;
  const frames = [element, element.parentElement, above, above?.parentElement, active];
  const drawn = frames.some((frame) => {
    if (frame === null || frame === undefined) return false;
    const { boxShadow, outlineStyle, outlineWidth } = getComputedStyle(frame);
    return boxShadow !== "none" || (outlineStyle !== "none" && outlineWidth !== "0px");
  });
  // A shape is drawn in the colour of the focus.
  const shapes = [...element.querySelectorAll("path, rect")];
  const colour = document.createElement("i");
  colour.style.color = "var(--trace)";
  document.body.append(colour);
  const trace = getComputedStyle(colour).color;
  colour.remove();
  const isShown = drawn || shapes.some((shape) => getComputedStyle(shape).stroke === trace);
  if (!isShown) wrong.push(`No focus is visible: ${name}`);
  const isOutside = box.right <= 0 || box.left >= innerWidth || box.bottom <= 0 || box.top >= innerHeight;
  if (isOutside) wrong.push(`Outside of the window: ${name}`);
  else {
    const x = Math.min(innerWidth - 1, Math.max(0, box.left + box.width / 2));
    const y = Math.min(innerHeight - 1, Math.max(0, box.top + Math.min(box.height, innerHeight) / 2));
    const top = document.elementFromPoint(x, y);
    const label = element.closest("label");
    if (top !== null && !element.contains(top) && !top.contains(element) && label?.contains(top) !== true) {
      wrong.push(`Covered by ${top.outerHTML.slice(0, 80)}: ${name}`);
    }
  }
  return wrong;
}

/** The elements that Tab did not reach. */
function end(): string[] {
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  const missed = document.querySelectorAll("[data-tab=wanted]");
  return [...missed]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }))
    .map((element) => `Tab does not reach: ${element.outerHTML.slice(0, 160)}`);
}
