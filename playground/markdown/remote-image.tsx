// An external image. A request shows the image's server that and when the message is viewed, so the image is loaded only after a click.

import { useState } from "react";
import type { ReactElement } from "react";

import { Button } from "../kit/button.tsx";

import css from "./markdown.module.css";

/** The image, or the button that loads it. */
export function RemoteImage({ src, alt }: { src: string; alt: string }): ReactElement {
  const [wanted, setWanted] = useState(false);
  const url = URL.canParse(src) ? new URL(src) : null;
  if (url === null || url.protocol !== "https:")
    return <span className={css["image"]}>[Picture: {alt === "" ? "unnamed" : alt}]</span>;
  if (wanted) return <img src={url.href} alt={alt} referrerPolicy="no-referrer" loading="lazy" />;
  return (
    <span className={css["image"]}>
      <span>
        Picture from {url.host}: {alt === "" ? "unnamed" : alt}
      </span>
      <Button small onClick={() => setWanted(true)}>
        Load it
      </Button>
    </span>
  );
}
