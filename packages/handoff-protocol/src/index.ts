// The handoff card: `HandoffProtocol`, its props, and its styles.

import "./handoff-protocol.css";

export { HandoffProtocol, type HandoffPayloadItem, type HandoffProtocolProps } from "./HandoffProtocol";
