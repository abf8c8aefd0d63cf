import type { Alert } from './metric-names.ts'
import type { Scrape } from './scrape.ts'

/**
 * A sum, minimum or maximum of one metric by chain. It equals the metric's value if only one process serves the chain.
 */
const BY_CHAIN = /(?:max|min|sum) by \(chain_id\) \((\w+)\)/g

const COMPARISON = /^(\S+) (<|>|==|!=) (?:on \(chain_id\) )?(?:(\S+) \* )?(\S+)$/

/**
 * Returns whether the condition of an alert holds for a chain according to one process's metrics; `null` if a metric is
 * missing.
 *
 * @throws {Error} if the expression does more than compare numbers by chain, because anything else requires Prometheus
 */
export function holds(
  alert: Alert,
  at: { readonly scrape: Scrape; readonly chainId: number },
): boolean | null {
  const labels = { chain_id: String(at.chainId) }
  let lacks = false
  const numbers = alert.expr.trim().replace(BY_CHAIN, (_, name: string) => {
    const value = at.scrape.valueOf(name, labels)
    lacks ||= value === null
    return String(value)
  })
  const [, left, comparison, factor = '1', right] = COMPARISON.exec(numbers) ?? []
  if (left === undefined) throw new Error(`${alert.alert} cannot be judged by one process: ${alert.expr}`)
  if (lacks) return null
  return compare[comparison as keyof typeof compare](Number(left), Number(factor) * Number(right))
}

const compare = {
  '<': (a: number, b: number) => a < b,
  '>': (a: number, b: number) => a > b,
  '==': (a: number, b: number) => a === b,
  '!=': (a: number, b: number) => a !== b,
} as const
