// The light or dark theme: the system's, unless the person chose one. style.css reads it from the attribute of the document.
import { useEffect, useState } from "react";

import { Icon } from "./icon.tsx";

const themes = ["system", "light", "dark"] as const;

export function ThemeButton() {
  const [theme, setTheme] = useState(() => themes.find((each) => each === localStorage.getItem("theme")) ?? "system");
  useEffect(() => {
    document.documentElement.dataset["theme"] = theme;
    localStorage.setItem("theme", theme);
  }, [theme]);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  return (
    <button
      className="icon"
      aria-label={`Theme: ${theme}. Change to ${next}`}
      title={`Theme: ${theme}`}
      onClick={() => setTheme(next)}
    >
      <Icon name={theme} />
    </button>
  );
}
