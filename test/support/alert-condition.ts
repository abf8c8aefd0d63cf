import type { Alert } from './metric-names.ts'
import type { Scrape } from './scrape.ts'

/** A sum, a most or a least of one metric by chain, of which one process serves one chain: that number itself. */
const BY_CHAIN = /(?:max|min|sum) by \(chain_id\) \((\w+)\)/g

const COMPARISON = /^(\S+) (<|>|==|!=) (?:on \(chain_id\) )?(?:(\S+) \* )?(\S+)$/

/**
 * Answers whether the condition of an alert holds for a chain by what one process shows; `null` while it lacks a metric.
 *
 * @throws {Error} of an expression that compares anything but numbers by chain, for which Prometheus is needed
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
