import { InvalidParamsRpcError, MethodNotFoundRpcError } from 'viem'

/**
 * Returns a block without the nulls that older versions of java-tron put in the block and its transactions.
 *
 * TRON has no nonces. Ponder works without nonces, but parses a null as a number, and its backfill then hangs.
 */
export function normalizeTronBlock<Block extends object>(block: Block): Block {
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

/** Keeps `to: null` of a transaction that creates a contract, because Ponder expects it, as on every chain. */
function mendTransaction(transaction: object): object {
  const { to } = transaction as { readonly to?: unknown }
  return { ...withoutNulls(transaction), ...(to === null && { to }) }
}

function withoutNulls<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null)) as Value
}

/**
 * Converts the error of a node that rejects a query for the logs of one block by its hash.
 *
 * For a block that was orphaned after the node returned it, java-tron reports an invalid parameter. Ponder retries that
 * error ten times, which once delayed a payment in the next block by 63 s. The error of an unknown method, which Ponder
 * does not retry, is therefore returned instead. Ponder then fetches the next head, which shows the fork.
 */
export function normalizeTronError(failure: unknown): unknown {
  return isInvalidParameter(failure)
    ? new MethodNotFoundRpcError(failure as Error, { method: 'eth_getLogs' })
    : failure
}

function isInvalidParameter(failure: unknown): boolean {
  return failure instanceof Error && 'code' in failure && failure.code === InvalidParamsRpcError.code
}
