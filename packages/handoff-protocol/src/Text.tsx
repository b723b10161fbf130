import { useState } from "react";
import { pieces, shorten } from "./characters";

/** Shows text as it is. Characters without a visible form are shown by their code points. */
export function Text({ children }: { children: string }) {
  return (
    <>
      {pieces(children).map((piece, index) =>
        piece.hidden ? (
          <span key={index} className="hp-hidden" title={piece.title}>
            {piece.text}
          </span>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}

const LONG = 2000;

/** Shows a long text shortened, with a button for the rest. */
export function LongText({ children, className = "hp-text" }: { children: string; className?: string }) {
  const [isOpen, setOpen] = useState(false);
  const isLong = children.length > LONG;
  return (
    <>
      <p className={isOpen ? `${className} hp-long` : className} dir="auto" tabIndex={isOpen ? 0 : undefined}>
        <Text>{isLong && !isOpen ? shorten(children, LONG) : children}</Text>
      </p>
      {isLong && !isOpen && (
        <button type="button" className="hp-more" onClick={() => setOpen(true)}>
          Show all {children.length.toLocaleString("en")} characters
        </button>
      )}
    </>
  );
}
