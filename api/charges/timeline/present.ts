import type { TimelineRow } from '../../../shared/db/charges/api/timeline.ts'
import {
  presentAddress,
  presentTransactionHash,
} from '../../../shared/domain/chain-families/chain-families.ts'
import { toNumber } from '../../../shared/domain/decimal.ts'
import { invariant } from '../../../shared/domain/errors.ts'
import { type AttoDollars, atto, formatAtto } from '../../../shared/domain/money.ts'
import { REGISTRY } from '../../../shared/domain/network-registry.ts'

/** Returns the JSON of one timeline entry. */
export function presentTimelineEntry(row: TimelineRow) {
  const { type, at, token, network } = row
  switch (type) {
    case 'charge.created':
    case 'charge.expired':
      return { type, at }
    case 'transaction.detected': {
      const { source, causedTransition, creditedAt, rejectionReason, doubt, struckAt } = row
      const found = { type, at, token, network, txHash: presentHash(row), ...amountOf(row) }
      return { ...found, source, causedTransition, creditedAt, refusal: rejectionReason, doubt, struckAt }
    }
    case 'split.distributed': {
      const { doubt, struckAt } = row
      const found = { type, at, token, network, txHash: presentHash(row), ...amountOf(row) }
      return { ...found, held: presentHeld(row), doubt, struckAt }
    }
    case 'refund.declared':
    case 'refund.claimed':
    case 'refund.approved':
    case 'refund.rejected':
    case 'refund.seen':
    case 'refund.confirmed':
    case 'refund.canceled':
    case 'refund.expired':
      return { type, at, refundId: row.refundId, token, network, txHash: presentHash(row), ...amountOf(row) }
    case 'webhook.dispatched':
    case 'webhook.delivered':
    case 'webhook.failed':
      return { type, at, webhookId: row.webhookId, deliveryId: row.deliveryId }
  }
}

function presentHash({ txHash, network }: TimelineRow): string | null {
  return network && presentTransactionHash(txHash, REGISTRY[network].family)
}

function presentHeld({ held, network }: TimelineRow) {
  invariant(network !== null, 'a distribution is on a network')
  const { family } = REGISTRY[network]
  return (held ?? []).map(({ address, amountAtto, releasedAt }) => ({
    address: presentAddress(address, family),
    ...presentAmount(atto(BigInt(amountAtto))),
    releasedAt,
  }))
}

function amountOf({ amountAtto, type }: TimelineRow) {
  invariant(amountAtto !== null, `a ${type} without an amount`)
  return presentAmount(amountAtto)
}

function presentAmount(amount: AttoDollars) {
  return { amount: toNumber(amount, 18), amountExact: formatAtto(amount) }
}
