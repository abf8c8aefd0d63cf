import type { TimelineRow } from '../../shared/db/charges/api/timeline.ts'
import { presentAddress } from '../../shared/domain/address.ts'
import { toNumber } from '../../shared/domain/decimal.ts'
import { invariant } from '../../shared/domain/errors.ts'
import { type AttoDollars, atto, formatAtto } from '../../shared/domain/money.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'

/** Shows one entry with the fields of its type. */
export function presentTimelineEntry(row: TimelineRow) {
  const { type, at, token, network, txHash } = row
  switch (type) {
    case 'charge.created':
    case 'charge.expired':
      return { type, at }
    case 'transaction.detected': {
      const { source, causedTransition, creditedAt, refusal } = row
      const found = { type, at, token, network, txHash, ...amountOf(row) }
      return { ...found, source, causedTransition, creditedAt, refusal }
    }
    case 'split.distributed':
      return { type, at, token, network, txHash, ...amountOf(row), held: presentHeld(row) }
    case 'webhook.dispatched':
    case 'webhook.delivered':
    case 'webhook.failed':
      return { type, at, webhookId: row.webhookId, deliveryId: row.deliveryId }
  }
}

function presentHeld({ held, network }: TimelineRow) {
  const family = network === null ? 'evm' : REGISTRY[network].family
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
