import type { AwaitedTransfer } from '../../shared/db/chain-facts/confirmation-progress.ts'
import type { ChargeRecord } from '../../shared/domain/charge.ts'
import { FAMILIES } from '../../shared/domain/families/families.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { type Network, type PairContract, type PairKey, parsePairKey } from '../../shared/domain/networks.ts'

type Known = {
  readonly awaited: readonly AwaitedTransfer[]
  readonly contracts: ReadonlyMap<PairKey, PairContract>
}

/**
 * Answers where an explorer shows the most recent transfer of a charge; `null` where that is not certain.
 *
 * A charge does not say which network its hash is of, and a chain under another id than the network's own, as on a
 * developer's machine, is in no explorer.
 */
export function transactionLink(charge: ChargeRecord, { awaited, contracts }: Known): string | null {
  const paid = [...charge.paidWith, ...awaited].map(({ network }) => network)
  const accepted = charge.acceptedPayments.map(({ network }) => network)
  const [network, ...others] = new Set(paid.length > 0 ? paid : accepted)
  if (charge.txHash === null || charge.isSimulated || network === undefined || others.length > 0) return null
  const facts = REGISTRY[network][charge.environment]
  if (facts === null || facts.chainId !== chainIdOf(network, contracts)) return null
  return FAMILIES[charge.family].transactionUrl({ explorer: facts.explorer, hash: charge.txHash })
}

function chainIdOf(network: Network, contracts: Known['contracts']): number | undefined {
  return [...contracts].find(([key]) => parsePairKey(key)?.network === network)?.[1].chainId
}
