import { InvalidParamsRpcError, MethodNotFoundRpcError } from 'viem'

/**
 * Answers a block without the nulls that older versions of java-tron have in it and in its transactions.
 *
 * There are no nonces on TRON; Ponder does without them, but a null it reads as a number, and its backfill hangs.
 */
export function mendTronBlock<Block extends object>(block: Block): Block {
  const { transactions } = block as { readonly transactions?: readonly unknown[] }
  const mended = withoutNulls(block)
  if (transactions === undefined) return mended
  return {
    ...mended,
    transactions: transactions.map((one) =>
      typeof one === 'object' && one !== null ? mendTransaction(one) : one,
    ),
  }
}

/** Where a transaction makes a contract, `to` is null on every chain, and Ponder expects it. */
function mendTransaction(transaction: object): object {
  const { to } = transaction as { readonly to?: unknown }
  return { ...withoutNulls(transaction), ...(to === null && { to }) }
}

function withoutNulls<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null)) as Value
}

/**
 * Answers what to throw when a node refuses the logs of one block by its hash.
 *
 * A block that was taken back since it was shown is refused there as a wrong parameter, which Ponder asks for ten times
 * more: a payment in the block after it was seen after 63 s. An unknown method it does not ask for again, and takes the
 * next head, which shows the fork.
 */
export function mendTronFailure(failure: unknown): unknown {
  return isInvalidParameter(failure)
    ? new MethodNotFoundRpcError(failure as Error, { method: 'eth_getLogs' })
    : failure
}

function isInvalidParameter(failure: unknown): boolean {
  return failure instanceof Error && 'code' in failure && failure.code === InvalidParamsRpcError.code
}
