import { NETWORKS, type Network } from '../domain/networks.ts'

/** The value of an option for one network. */
export type NetworkValue = { readonly network: Network; readonly value: string }

/**
 * Parses `NETWORK=VALUE`, such as `base=http://…`. The value may contain further equals signs. Returns `null` if the text
 * names no known network, or has no value.
 */
export function parseNetworkValue(text: string): NetworkValue | null {
  const network = NETWORKS.find((known) => text.startsWith(`${known}=`))
  const value = text.slice(text.indexOf('=') + 1)
  return network === undefined || value === '' ? null : { network, value }
}
