import { type ListedAsset, offeredAssets } from "mediagate/forms";
import { models } from "../../offers";
import { Thumbnail } from "../../results/Thumbnail";
import type { ControlProps } from "./control";
import { Text } from "./Text";

/** The most assets in a list, which more would make slow. The id of any asset can be entered. */
const MAX_ASSETS = 200;

export function Asset(props: ControlProps) {
  const { field, id, value, set } = props;
  const assets = offeredAssets(field, models.value).slice(0, MAX_ASSETS);
  const what = field.category ?? "asset";
  return (
    <div class="assets">
      {assets.length > 0 ? (
        <ul>
          {assets.map((asset) => (
            <li key={asset.id}>
              <Card
                name={`${id}-listed`}
                asset={asset}
                checked={value === asset.id}
                choose={() => set(asset.id)}
              />
            </li>
          ))}
        </ul>
      ) : (
        <p class="facts">
          This gateway lists no {what}. Enter the id of one. The operator can
          list some in PUBLIC_ASSETS, or in the claim <code>assets</code> of
          your token.
        </p>
      )}
      <Text
        {...props}
        label={
          assets.length > 0
            ? `Other id: the ${what} that is sent`
            : `Id of the ${what}`
        }
      />
    </div>
  );
}

interface CardProps {
  name: string;
  asset: ListedAsset;
  checked: boolean;
  choose(): void;
}

function Card({ name, asset, checked, choose }: CardProps) {
  const { id, title, preview, category } = asset;
  return (
    <label class="asset" title={title ? `${title} (${id})` : id}>
      <input
        type="radio"
        class="unseen"
        name={name}
        checked={checked}
        onChange={choose}
      />
      <Thumbnail source={{ url: preview, kind: "image" }} medium={category} />
      <span class="about">
        {title && (
          <span class="name" dir="auto">
            {title}
          </span>
        )}
        <code>{id}</code>
      </span>
    </label>
  );
}
