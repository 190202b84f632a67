/** The icon of each medium, for groups, files and results. */
import { AudioLines, FileText, Film, type IconNode, Image } from "lucide";

const ICONS: Record<string, IconNode> = {
  image: Image,
  video: Film,
  audio: AudioLines,
  asset: FileText,
  pdf: FileText,
};

export function iconOf(medium: string | undefined): IconNode {
  return ICONS[medium ?? ""] ?? FileText;
}
