// The light or dark theme: the system's, unless the person chose one. style.css reads it from the attribute of the document.
import { useState } from "react";

import { Icon } from "./icon.tsx";

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

const read = (): Theme => themes.find((each) => each === localStorage.getItem("theme")) ?? "system";

function apply(theme: Theme): void {
  document.documentElement.dataset["theme"] = theme;
}

// Before the page is drawn, so that it does not change its colours.
apply(read());

export function ThemeButton() {
  const [theme, setTheme] = useState(read);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  const change = () => {
    localStorage.setItem("theme", next);
    apply(next);
    setTheme(next);
  };
  return (
    <button
      className="icon"
      aria-label={`Theme: ${theme}. Change to ${next}`}
      title={`Theme: ${theme}`}
      onClick={change}
    >
      <Icon name={theme} />
    </button>
  );
}
