import type { PonderSplitEvent, PonderTransfer } from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import type { ObservedSplitEvent } from '../../shared/db/chain-facts/daemon/split-events.ts'
import type { ObservedTransfer } from '../../shared/db/chain-facts/daemon/transfers.ts'
import type { WatchedCharge } from '../../shared/db/chain-facts/watched-charges.ts'
import type { Address } from '../../shared/domain/address.ts'
import { FAMILIES } from '../../shared/domain/families/families.ts'
import { atomic, atomicToAtto } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { type Environment, type Network, pairKey, type Token } from '../../shared/domain/networks.ts'
import { identify, type TransferRefusal } from '../../shared/domain/transfer.ts'

/** One token of a deployment, by the contract that logs its transfers. */
export type WatchedToken = {
  readonly token: Token
  readonly address: Address
  /** Of the amounts that the token itself moves. */
  readonly decimals: number
  readonly emitter: Address
  /** Of the amounts the emitter logs. */
  readonly emitterDecimals: number
}

/** What is watched of one chain. */
export type WatchedDeployment = {
  readonly chainId: number
  readonly network: Network
  readonly environment: Environment
  readonly tokens: readonly WatchedToken[]
}

/**
 * Tells whose transfers these are, with the identity that survives a reorganization; those of zero are dropped, after
 * they have been counted in the ordinals.
 *
 * What is refused is recorded with the reason and credits nothing; `refusalOf` says which that is.
 */
export function observeTransfers(
  rows: readonly PonderTransfer[],
  deployment: WatchedDeployment,
  charges: readonly WatchedCharge[],
): readonly ObservedTransfer[] {
  const chargeAt = new Map(charges.map((charge) => [charge.address, charge]))
  const tokenOf = new Map(deployment.tokens.map((token) => [token.emitter, token]))
  const ours = rows.flatMap((row) => {
    const charge = chargeAt.get(row.recipient)
    const token = tokenOf.get(row.emitter)
    return charge && token ? [{ ...row, charge, token }] : []
  })
  return identify(ours, ({ charge, token }) => `${token.token}/${charge.id}`)
    .filter(({ value }) => value > 0n)
    .map((row) => observeTransfer(row, deployment))
}

/**
 * Tells whose split events these are, with the identity that survives a reorganization.
 *
 * Only in the charge's own environment: a split has one address on all chains, and distributing testnet money there
 * pays nobody.
 */
export function observeSplitEvents(
  rows: readonly PonderSplitEvent[],
  deployment: WatchedDeployment,
  charges: readonly WatchedCharge[],
): readonly ObservedSplitEvent[] {
  const chargeAt = new Map(charges.map((charge) => [charge.splitAddress, charge]))
  const tokens = new Set(deployment.tokens.map((token) => token.address))
  const ours = rows.flatMap((row) => {
    const charge = chargeAt.get(row.split)
    return charge?.environment === deployment.environment && tokens.has(row.token) ? [{ ...row, charge }] : []
  })
  return identify(ours, ({ charge, token, kind }) => `${token}/${charge.id}/${kind}`).map((row) => ({
    chargeId: row.charge.id,
    kind: row.kind,
    chainId: deployment.chainId,
    tokenAddress: row.token,
    txHash: row.txHash,
    ordinal: row.ordinal,
    account: row.account,
    amountAtomic: atomic(row.amount),
    ...positionOf(row),
  }))
}

/** Lists the addresses whose charges must be looked up for these rows, each once. */
export function addressesOf(snapshot: {
  readonly transfers: readonly PonderTransfer[]
  readonly splitEvents: readonly PonderSplitEvent[]
}): readonly Address[] {
  return [
    ...new Set([
      ...snapshot.transfers.flatMap(({ sender, recipient }) => [sender, recipient]),
      ...snapshot.splitEvents.map(({ split }) => split),
    ]),
  ]
}

function observeTransfer(
  row: PonderTransfer & { charge: WatchedCharge; token: WatchedToken; ordinal: number },
  deployment: WatchedDeployment,
): ObservedTransfer {
  const { charge, token } = row
  const pair = { token: token.token, network: deployment.network }
  const valueAtomic = atomic(row.value)
  return {
    chargeId: charge.id,
    ...pair,
    source: FAMILIES[REGISTRY[deployment.network].family].transferSource,
    chainId: deployment.chainId,
    tokenAddress: token.address,
    txHash: row.txHash,
    ordinal: row.ordinal,
    sender: row.sender,
    valueAtomic,
    amountAtto: atomicToAtto(valueAtomic, token.emitterDecimals),
    refusal: refusalOf(row, deployment),
    ...positionOf(row),
  }
}

/**
 * Tells why a transfer to a charge's address counts for nothing; `null` if it is a payment.
 *
 * The one rule of the feed, of reconciliation and of checks: the charge accepts the pair, in its own environment, for
 * testnet money pays no live charge; and the money is somebody else's. Who distributes can name the charge's Safe, or
 * whatever sends on to it, for the incentive, and a Safe can be made to pay itself for ever: counted, one payment
 * would be two.
 */
function refusalOf(
  { charge, token, sender }: { charge: WatchedCharge; token: WatchedToken; sender: Address },
  deployment: WatchedDeployment,
): TransferRefusal | null {
  if (sender === charge.address || sender === charge.splitAddress) return 'own_money'
  return isAccepted(charge, { deployment, token: token.token }) ? null : 'pair_not_accepted'
}

/** Whether a Safe stands before the charge's split. */
export function isEscrow({ address, splitAddress }: WatchedCharge): boolean {
  return address !== splitAddress
}

/** Whether a charge accepts this token of this deployment. */
export function isAccepted(
  charge: WatchedCharge,
  { deployment, token }: { readonly deployment: WatchedDeployment; readonly token: Token },
): boolean {
  const { environment, network } = deployment
  return charge.environment === environment && charge.acceptedPayments.includes(pairKey({ token, network }))
}

/** Where a log stands in the chain. */
export function positionOf(row: PonderTransfer | PonderSplitEvent) {
  return {
    blockNumber: row.blockNumber,
    blockHash: row.blockHash,
    blockTimestamp: row.blockTimestamp,
    logIndex: row.logIndex,
  }
}
