import { NETWORKS, type Network } from '../../shared/domain/networks.ts'
import { ConfigError } from '../../shared/runtime/config-error.ts'
import { parseNetworkValue } from '../../shared/runtime/parse-network-value.ts'

/**
 * Parses an option that is given once per network, such as `base=http://…`. The last value of a network counts.
 *
 * @throws {ConfigError} if a text names no known network or has no value
 */
export function parseNetworkValues(option: string, texts: readonly string[]): ReadonlyMap<Network, string> {
  return new Map(
    texts.map((text) => {
      const parsed = parseNetworkValue(text)
      if (parsed !== null) return [parsed.network, parsed.value]
      // Show only the text before `=`, because the URL of a node might contain a key.
      const name = JSON.stringify(`${/^[a-z0-9-]{1,30}=/.exec(text)?.[0] ?? ''}…`)
      throw new ConfigError([
        `${option} is ${name}: must be NETWORK=VALUE, with one of the networks ${NETWORKS.join(', ')}`,
      ])
    }),
  )
}
