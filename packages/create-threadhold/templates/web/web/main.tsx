import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { App } from "./app.tsx";

import "./style.css";

createRoot(document.querySelector("#root") ?? document.body).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
