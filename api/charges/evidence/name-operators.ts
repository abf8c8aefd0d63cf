/** A domain or a configured name. The last part of a domain has a letter, unlike that of an IP address. */
const NAME = /^(?=.*[a-z])[a-z0-9-]+(?:\.[a-z0-9-]+)*$/

/**
 * Returns the operators of nodes as names that reveal no address: the name or domain of an operator, otherwise its
 * number among the operators that agreed.
 */
export function nameOperators(operators: readonly string[]): readonly string[] {
  return operators.map((operator, index) => {
    if (operator.startsWith('trusted:')) return 'a single trusted node'
    const isAddress = /(?:^|\.)\d+$/.test(operator)
    return NAME.test(operator) && !isAddress ? operator : `operator ${index + 1}`
  })
}
