// `<tasuki-card>`: the card for pages without React. Built with Preact inside, from the same component.

import { createRoot, type Root } from "react-dom/client";
import styles from "./handoff-protocol.css?inline";
import { type HandoffPayloadItem, HandoffProtocol } from "./HandoffProtocol";

const TEXTS = {
  "source-agent": "sourceAgent",
  "destination-agent": "destinationAgent",
  goal: "goal",
  summary: "summary",
  "next-request": "nextRequest",
} as const;

type TextName = (typeof TEXTS)[keyof typeof TEXTS];

/** A module for the browser that a server may import as well. */
const Base = globalThis.HTMLElement ?? (class {} as typeof HTMLElement);

let sheet: CSSStyleSheet | undefined;

/** Returns the styles as an object, which a content security policy allows without `unsafe-inline`. */
function styleSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(styles);
  }
  return sheet;
}

/**
 * The handoff card as a custom element. Every prop of the component is a property, and an attribute in
 * kebab case. It fires `tasuki-accept`, `tasuki-intercept` and `tasuki-cancel`, which bubble.
 */
export class TasukiCard extends Base {
  static readonly observedAttributes = [...Object.keys(TEXTS), "payload", "can-intercept", "theme"];

  #texts: Partial<Record<TextName, string>> = {};
  #payload: HandoffPayloadItem[] | undefined;
  #root: Root | undefined;
  #pageTheme: MutationObserver | undefined;

  get sourceAgent(): string {
    return this.#texts.sourceAgent ?? "";
  }
  set sourceAgent(value: string) {
    this.#setText("sourceAgent", value);
  }

  get destinationAgent(): string {
    return this.#texts.destinationAgent ?? "";
  }
  set destinationAgent(value: string) {
    this.#setText("destinationAgent", value);
  }

  get goal(): string {
    return this.#texts.goal ?? "";
  }
  set goal(value: string) {
    this.#setText("goal", value);
  }

  get summary(): string {
    return this.#texts.summary ?? "";
  }
  set summary(value: string) {
    this.#setText("summary", value);
  }

  get nextRequest(): string | undefined {
    return this.#texts.nextRequest;
  }
  set nextRequest(value: string | undefined) {
    this.#setText("nextRequest", value);
  }

  get payload(): HandoffPayloadItem[] | undefined {
    return this.#payload;
  }
  set payload(value: HandoffPayloadItem[] | undefined) {
    this.#payload = value;
    this.#render();
  }

  get canIntercept(): boolean {
    return this.hasAttribute("can-intercept");
  }
  set canIntercept(value: boolean) {
    this.toggleAttribute("can-intercept", value);
  }

  connectedCallback(): void {
    const shadow = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    shadow.adoptedStyleSheets = [styleSheet()];
    this.#root = createRoot(shadow);
    this.#pageTheme = new MutationObserver(() => this.#render());
    this.#pageTheme.observe(document.documentElement, { attributeFilter: ["class", "data-theme"] });
    this.#render();
  }

  disconnectedCallback(): void {
    this.#pageTheme?.disconnect();
    this.#root?.unmount();
    this.#root = undefined;
  }

  attributeChangedCallback(name: string, _: string | null, value: string | null): void {
    if (name in TEXTS) this.#texts[TEXTS[name as keyof typeof TEXTS]] = value ?? "";
    if (name === "payload") this.#payload = value === null ? undefined : payloadOf(value);
    this.#render();
  }

  #setText(name: TextName, value: string | undefined): void {
    this.#texts[name] = value ?? "";
    this.#render();
  }

  #fire(name: string): void {
    this.dispatchEvent(new CustomEvent(`tasuki-${name}`, { bubbles: true, composed: true }));
  }

  #render(): void {
    this.#root?.render(
      <HandoffProtocol
        sourceAgent={this.sourceAgent}
        destinationAgent={this.destinationAgent}
        goal={this.goal}
        summary={this.summary}
        payload={this.#payload}
        nextRequest={this.nextRequest}
        canIntercept={this.canIntercept}
        onAccept={() => this.#fire("accept")}
        onIntercept={() => this.#fire("intercept")}
        onCancel={() => this.#fire("cancel")}
        className={themeOf(this)}
      />,
    );
  }
}

/** Returns the theme that the element or the page names. Styles of the page end at the element. */
function themeOf(element: Element): "light" | "dark" | undefined {
  const named = element.getAttribute("theme");
  if (named === "light" || named === "dark") return named;
  const above = element.closest(".light, .dark, [data-theme=light], [data-theme=dark]");
  if (!above) return undefined;
  return above.matches(".dark, [data-theme=dark]") ? "dark" : "light";
}

/** Reads the attribute. A payload that cannot be read is shown as it is: it must not look empty. */
function payloadOf(attribute: string): HandoffPayloadItem[] {
  try {
    const list: unknown = JSON.parse(attribute);
    if (Array.isArray(list) && list.every(isItem)) {
      return list.map(({ label, value }) => ({ label: String(label), value: String(value) }));
    }
  } catch {
    // Reported below, like a list of something else.
  }
  console.error('<tasuki-card>: the attribute "payload" is not a JSON list of { "label": …, "value": … }');
  return [{ label: "unreadable payload", value: attribute }];
}

function isItem(one: unknown): one is Record<keyof HandoffPayloadItem, unknown> {
  return typeof one === "object" && one !== null && "label" in one && "value" in one;
}

if (globalThis.customElements && !customElements.get("tasuki-card")) customElements.define("tasuki-card", TasukiCard);

declare global {
  interface HTMLElementTagNameMap {
    "tasuki-card": TasukiCard;
  }
}
