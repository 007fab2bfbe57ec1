// The icons, as strokes in a square of 24.

const paths = {
  plus: "M12 5v14M5 12h14",
  menu: "M4 7h16M4 12h16M4 17h16",
  pencil: "M4 20l1-4L16 5l3 3L8 19z",
  trash: "M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13",
  send: "M12 19V5M6 11l6-6 6 6",
  stop: "M7 7h10v10H7z",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  light: "M12 8a4 4 0 100 8 4 4 0 000-8M12 2v2M12 20v2M4 12H2M22 12h-2M5 5l1 1M18 18l1 1M5 19l1-1M18 6l1-1",
  dark: "M20 14a8 8 0 01-10-10 8 8 0 1010 10z",
  waiting: "M12 7v6M12 17v.1M12 3l10 18H2z",
  running: "M12 3a9 9 0 109 9",
  success: "M5 13l4 4L19 7",
  error: "M6 6l12 12M18 6L6 18",
  stopped: "M8 8h8v8H8z",
} as const;

export function Icon({ name }: { name: keyof typeof paths }) {
  return (
    <svg data-icon={name} viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <path
        d={paths[name]}
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
