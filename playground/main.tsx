// Renders the playground into the page.

import "@fontsource-variable/ibm-plex-sans/wght.css";
import "@fontsource/ibm-plex-mono/latin-400.css";
import "@fontsource/ibm-plex-mono/latin-500.css";
import "./style/tokens.css";
import "./style/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { App } from "./app/app.tsx";
import { applyTheme } from "./app/theme.ts";

applyTheme();
const place = document.querySelector("#app");
if (place === null) throw new Error("The page has no #app.");
createRoot(place).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
