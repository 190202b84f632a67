import {
  AudioLines,
  FileText,
  Film,
  type IconNode,
  Image,
  Mic,
  UserRound,
} from "lucide";

/** The icons. A map, since a category may be any word, such as `constructor`. */
const ICONS = new Map<string | undefined, IconNode>([
  ["image", Image],
  ["video", Film],
  ["audio", AudioLines],
  ["avatar", UserRound],
  ["voice", Mic],
]);

export function iconOf(medium: string | undefined): IconNode {
  return ICONS.get(medium) ?? FileText;
}
