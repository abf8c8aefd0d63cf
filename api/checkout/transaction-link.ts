import type { PendingTransfer } from '../../shared/db/chain-facts/confirmation-progress.ts'
import type { Hex } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES } from '../../shared/domain/chain-families/chain-families.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { type Network, type PairContract, type PairKey, parsePairKey } from '../../shared/domain/networks.ts'

type LinkFacts = {
  readonly awaited: readonly PendingTransfer[]
  readonly contracts: ReadonlyMap<PairKey, PairContract>
}

/**
 * Returns the explorer link of a charge's most recent transfer; `null` if there is no transfer or no explorer, or if
 * the network is ambiguous.
 *
 * A charge records only the transfer's hash, so the network is certain only if all payments or, without payments, all
 * accepted pairs are on one network.
 */
export function transactionLink(charge: ChargeRecord, { awaited, contracts }: LinkFacts): string | null {
  const paid = [...charge.paidWith, ...awaited].map(({ network }) => network)
  const accepted = charge.acceptedPayments.map(({ network }) => network)
  const [network, ...others] = new Set(paid.length > 0 ? paid : accepted)
  if (charge.txHash === null || charge.isSimulated || network === undefined || others.length > 0) return null
  return explorerLink(charge, { network, chainId: findChainId(network, contracts), txHash: charge.txHash })
}

/**
 * Returns the explorer link of a transaction; `null` if the network is not registered for the environment, or if the
 * chain id is not the registered one, for example on a developer's chain, which no explorer shows.
 */
export function explorerLink(
  { environment, family }: Pick<ChargeRecord, 'environment' | 'family'>,
  on: { readonly network: Network; readonly chainId: number | undefined; readonly txHash: Hex },
): string | null {
  const facts = REGISTRY[on.network][environment]
  if (facts === null || facts.chainId !== on.chainId) return null
  return CHAIN_FAMILIES[family].transactionUrl({ explorer: facts.explorer, hash: on.txHash })
}

function findChainId(network: Network, contracts: LinkFacts['contracts']): number | undefined {
  return [...contracts].find(([key]) => parsePairKey(key)?.network === network)?.[1].chainId
}
