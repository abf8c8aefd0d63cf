import type { Address, Hex } from '../../shared/domain/address.ts'

/** Fields of every log. Ponder does not normalize the case of addresses. */
type LogEvent = {
  readonly transaction: { readonly hash: Hex }
  readonly block: { readonly number: bigint; readonly hash: Hex; readonly timestamp: bigint }
  readonly log: { readonly logIndex: number; readonly address: Hex }
}

/** Creates the `transfer` row of a Transfer log, with lowercase addresses. */
export function toPonderTransfer(
  event: LogEvent & { readonly args: { readonly from: Hex; readonly to: Hex; readonly value: bigint } },
) {
  return {
    ...position(event),
    emitter: lower(event.log.address),
    sender: lower(event.args.from),
    recipient: lower(event.args.to),
    value: event.args.value,
  }
}

/** Creates the `split_event` row of a split's log, with lowercase addresses. */
export function toPonderSplitEvent(
  event: LogEvent & { readonly args: { readonly token: Hex; readonly amount: bigint } },
  kind: 'distributed' | 'held' | 'released',
  account: Hex,
) {
  return {
    ...position(event),
    split: lower(event.log.address),
    kind,
    token: lower(event.args.token),
    account: lower(account),
    amount: event.args.amount,
  }
}

function position(event: LogEvent) {
  return {
    txHash: event.transaction.hash,
    logIndex: event.log.logIndex,
    blockNumber: event.block.number,
    blockHash: event.block.hash,
    blockTimestamp: event.block.timestamp,
  }
}

function lower(address: Hex): Address {
  return address.toLowerCase() as Address
}
