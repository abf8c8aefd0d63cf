import type {
  ObservedSplitEvent,
  ObservedTransfer,
} from '../../shared/db/chain-facts/daemon/observed-rows.ts'
import type { PonderSplitEvent, PonderTransfer } from '../../shared/db/chain-facts/daemon/ponder-tables.ts'
import type { WatchedCharge } from '../../shared/db/chain-facts/watched-charges.ts'
import type { Address } from '../../shared/domain/address.ts'
import { CHAIN_FAMILIES } from '../../shared/domain/chain-families/chain-families.ts'
import { atomic, atomicToAtto } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import { type Environment, type Network, pairKey, type Token } from '../../shared/domain/networks.ts'
import { assignOrdinals, type TransferRejectionReason } from '../../shared/domain/transfer.ts'

/** One token of a deployment, with the contract that logs its transfers. */
export type WatchedToken = {
  readonly token: Token
  readonly address: Address
  /** Decimals of the amounts that the token itself transfers. */
  readonly decimals: number
  readonly emitter: Address
  /** Decimals of the amounts that the emitter logs. */
  readonly emitterDecimals: number
}

/** A chain, and the tokens that are watched on it. */
export type WatchedDeployment = {
  readonly chainId: number
  readonly network: Network
  readonly environment: Environment
  readonly tokens: readonly WatchedToken[]
}

/**
 * Returns the transfers to our charges, from Ponder's rows or from the logs of a receipt. They are identified by
 * transaction and ordinal, which survive a reorganization. Transfers of zero get ordinals but are dropped.
 *
 * A rejected transfer is recorded with its reason and credits no amount; see `findRejectionReason`.
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
  return assignOrdinals(ours, ({ charge, token }) => `${token.token}/${charge.id}`)
    .filter(({ value }) => value > 0n)
    .map((row) => observeTransfer(row, deployment))
}

/**
 * Returns the events of our charges' splits, identified in the same way.
 *
 * An event must concern a watched token, in the charge's own environment. A split has the same address on all chains,
 * and a distribution of testnet tokens must not count as a live payout.
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
  return assignOrdinals(ours, ({ charge, token, kind }) => `${token}/${charge.id}/${kind}`).map((row) => ({
    ...toRowPlace(row, deployment),
    kind: row.kind,
    tokenAddress: row.token,
    party: row.account,
    amountAtomic: row.amount,
    isAccepted: true,
  }))
}

/** Lists, without duplicates, the addresses in these rows that might belong to a charge. */
export function listAddresses(snapshot: {
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
  const { token, address, emitterDecimals } = row.token
  const rejectionReason = findRejectionReason(row, deployment)
  return {
    ...toRowPlace(row, deployment),
    ...{ token, network: deployment.network, kind: '' },
    source: CHAIN_FAMILIES[REGISTRY[deployment.network].family].transferSource,
    tokenAddress: address,
    party: row.sender,
    amountAtomic: row.value,
    amountAtto: atomicToAtto(atomic(row.value), emitterDecimals),
    rejectionReason,
    isAccepted: rejectionReason === null,
  }
}

/**
 * Returns why a transfer to a charge's address is not a payment; `null` if it is a payment.
 *
 * The feed, reconciliation and checks all use this rule. The charge must accept the pair, in its own environment,
 * because testnet tokens must not pay a live charge. The sender must not be the charge's Safe or split. A distributor
 * can direct the split's incentive to the charge's Safe, and a Safe's owner can make the Safe pay itself repeatedly.
 * Counting such transfers would credit the same money twice.
 */
function findRejectionReason(
  { charge, token, sender }: { charge: WatchedCharge; token: WatchedToken; sender: Address },
  deployment: WatchedDeployment,
): TransferRejectionReason | null {
  if (sender === charge.address || sender === charge.splitAddress) return 'own_money'
  return isAccepted(charge, { deployment, token: token.token }) ? null : 'pair_not_accepted'
}

/** Returns whether payments go into a Safe before they reach the charge's split. */
export function isEscrow({ address, splitAddress }: WatchedCharge): boolean {
  return address !== splitAddress
}

/** Returns whether a charge accepts this token on the deployment's network and in its environment. */
export function isAccepted(
  charge: WatchedCharge,
  { deployment, token }: { readonly deployment: WatchedDeployment; readonly token: Token },
): boolean {
  const { environment, network } = deployment
  return charge.environment === environment && charge.acceptedPayments.includes(pairKey({ token, network }))
}

/** Returns the columns that all chain tables share: the charge and the log's position. */
export function toRowPlace(
  row: (PonderTransfer | PonderSplitEvent) & { readonly charge: WatchedCharge; readonly ordinal: number },
  { chainId }: WatchedDeployment,
) {
  const { charge, txHash, ordinal, blockNumber, blockHash, blockTimestamp, logIndex } = row
  return { chainId, chargeId: charge.id, txHash, ordinal, blockNumber, blockHash, blockTimestamp, logIndex }
}
