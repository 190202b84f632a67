/** The icon of each medium and of each category of asset, for groups, files, results and assets. */
import { AudioLines, FileText, Film, type IconNode, Image, Mic, UserRound } from "lucide";

const ICONS: Record<string, IconNode> = {
  image: Image,
  video: Film,
  audio: AudioLines,
  asset: FileText,
  pdf: FileText,
  avatar: UserRound,
  voice: Mic,
};

export function iconOf(medium: string | undefined): IconNode {
  return ICONS[medium ?? ""] ?? FileText;
}
