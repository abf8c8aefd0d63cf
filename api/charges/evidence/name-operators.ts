/** A domain or a configured name. The last part of a domain has a letter, unlike that of an IP address. */
const NAME = /^(?=.*[a-z])[a-z0-9-]+(?:\.[a-z0-9-]+)*$/

/**
 * Creates the function that names the operators of nodes without an address: by the name or domain of an operator,
 * otherwise by its number among those of the page that have none.
 */
export function createOperatorNames(lists: readonly (readonly string[])[]): (operator: string) => string {
  const unnamed = [...new Set(lists.flat())].filter((operator) => !isTrusted(operator) && !isName(operator))
  return (operator) => {
    if (isTrusted(operator)) return 'a single trusted node'
    return isName(operator) ? operator : `operator ${unnamed.indexOf(operator) + 1}`
  }
}

/** A row that counted by an operator's order to trust one node. */
function isTrusted(operator: string): boolean {
  return operator.startsWith('trusted:')
}

function isName(operator: string): boolean {
  return NAME.test(operator) && !/(?:^|\.)\d+$/.test(operator)
}
