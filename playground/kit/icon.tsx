// The icons, drawn on a grid of 16 with one line width. An icon needs a label, which the component that uses it
// provides.

import type { ReactElement } from "react";

const paths = {
  back: "M10 3 5 8l5 5",
  check: "m3 8.5 3.2 3L13 4.5",
  chevron: "m4 6 4 4 4-4",
  clip: "m13 7.5-5.2 5a3 3 0 0 1-4.2-4.3l5.6-5.5a2 2 0 0 1 2.9 2.8L6.6 11a1 1 0 0 1-1.4-1.4l4.7-4.6",
  close: "m4 4 8 8M12 4l-8 8",
  command:
    "M6 6h4v4H6zM6 6V4.5A1.5 1.5 0 1 0 4.5 6H6Zm4 0h1.5A1.5 1.5 0 1 0 10 4.5V6Zm0 4v1.5a1.5 1.5 0 1 0 1.5-1.5H10Zm-4 0H4.5A1.5 1.5 0 1 0 6 11.5V10Z",
  context: "M3 2.500h10v11H3zM3 9.500h10M3 11.500h10",
  copy: "M6 6h7v7H6zM10 6V3H3v7h3",
  down: "M8 3v10m-4-4 4 4 4-4",
  edit: "m3 13 .8-3L10.5 3.300 12.700 5.500 6 12.200zM9.500 4.500l2 2",
  events: "M3 4h2m3 0h5M3 8h2m3 0h5M3 12h2m3 0h5",
  export: "M8 10V2.500m-3 3 3-3 3 3M3 9.500V13h10V9.500",
  file: "M4 2.500h5l3 3V13.500H4zM9 2.500v3h3",
  import: "M8 2.500V10m-3-3 3 3 3-3M3 9.500V13h10V9.500",
  inbox: "M2.500 9.500 4 3h8l1.500 6.500V13h-11zM2.500 9.500H6l1 1.500h2l1-1.500h3.500",
  folder: "M2.500 4h4l1.500 2h5.500v7h-11z",
  fit: "M2.500 6V2.500H6M10 2.500h3.500V6M13.500 10v3.500H10M6 13.500H2.500V10",
  minus: "M3 8h10",
  more: "M3.500 8h.01M8 8h.01M12.500 8h.01",
  pause: "M5.500 3.500v9M10.500 3.500v9",
  plus: "M8 3v10M3 8h10",
  search: "M7 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8Zm3 7 3.500 3.500",
  send: "M8 13V3M4 7l4-4 4 4",
  stop: "M4.500 4.500h7v7h-7z",
  tag: "M3 3h5l5 5-5 5-5-5zM5.500 5.500h.01",
  theme: "M8 2.500a5.500 5.500 0 1 0 0 11zM8 2.500a5.500 5.500 0 0 1 0 11",
  trace: "M3 4h5M6 8h6M9 12h4M3 2v12",
  trash: "M3 4.500h10M6.500 4.500v-2h3v2M4.500 4.500l.5 9h6l.5-9",
  upload: "M8 10.500V3M5 6l3-3 3 3M3 10v3h10v-3",
  user: "M8 2.500a2.750 2.750 0 1 1 0 5.500 2.750 2.750 0 0 1 0-5.500ZM3 13.500c0-2.500 2-4 5-4s5 1.500 5 4",
  up: "M8 13V3M4 7l4-4 4 4",
} as const;

export type IconName = keyof typeof paths;

/** An icon of a little more than one em. Hidden from screen readers. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }): ReactElement {
  return (
    <svg aria-hidden="true" width={size} height={size} viewBox="0 0 16 16" fill="none" focusable="false">
      <path
        d={paths[name]}
        stroke="currentColor"
        strokeWidth={name === "more" ? 2.2 : 1.4}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
