/** The icon of each medium and of each category of asset, for groups, files, results and assets. */
import {
  AudioLines,
  FileText,
  Film,
  type IconNode,
  Image,
  Mic,
  UserRound,
} from "lucide";

/** A map, since the media service's word for a category may be anything. */
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
