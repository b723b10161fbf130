export { LongText, Text } from "tasuki-handoff-protocol/parts";
