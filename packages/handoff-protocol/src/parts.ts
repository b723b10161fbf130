// The parts that the card is composed of, for interfaces that show more than its props: the console of
// Tasuki adds states, gates and evidence to the same card. They are not part of the stable interface.

export { CardFrame, HandoffCard, Leg, Payload, Section, type HandoffCardProps, type PartyProps } from "./HandoffCard";
export { Sash, type SashProps } from "./Sash";
export { LongText, Text } from "./Text";
export { pieces, plain, shorten, type Piece } from "./characters";
