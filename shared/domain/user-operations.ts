import type { Address, Hex } from './address.ts'

/** The fields of a receipt's log that are needed here. */
export type EntryPointLog = {
  readonly address: string
  readonly topics: readonly Hex[]
  readonly data: Hex
  /** Index of the log in the block. */
  readonly logIndex: number
}

/** The EntryPoints v0.6 to v0.9 (source: viem). Other contracts are not trusted, because any can log the same event. */
const ENTRY_POINTS: ReadonlySet<string> = new Set([
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  '0x433709009b8330fda32311df1c2afa402ed8d009',
])

/** `UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)` */
const USER_OPERATION = '0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f'

/** `BeforeExecution()`, which v0.6 logs even before it validates, and `SignatureAggregatorChanged(address)`. */
const EXECUTION_BEGINS: ReadonlySet<string> = new Set([
  '0xbb47ee3e183a558b1a2ff0874b079f3fc5478b7454eacf2bfc5af2ff5878f972',
  '0x575ff3acadd5ab348fe1855e217e0f3678f8d767d7494c9f9fefbee2e17cca4d',
])

/**
 * Lists the smart accounts whose own successful user operations made these transfers, without duplicates and in the
 * order of the transfers.
 *
 * The execution logs of an operation lie between its preceding boundary (the start of the execution, or the previous
 * operation) and its own `UserOperationEvent`, both logged by one EntryPoint. A transfer therefore belongs to the first
 * later event whose preceding boundary lies before the transfer. If an operation calls another EntryPoint, this is the
 * innermost operation. The account may differ from the transfer's `from`, for example after a swap.
 *
 * @param transfers - the log indexes of the paying transfers
 * @see https://eips.ethereum.org/EIPS/eip-4337
 */
export function userOperationSenders(
  logs: readonly EntryPointLog[],
  transfers: readonly number[],
): readonly Address[] {
  const operations = findOperations(logs)
  const senders = transfers.flatMap((transfer) => {
    const made = operations.find(({ from, to }) => from < transfer && transfer < to)
    return made?.isSuccess === true ? [made.sender] : []
  })
  return [...new Set(senders)]
}

type Operation = {
  /** The log indexes between which the operation's execution logs lie. */
  readonly from: number
  readonly to: number
  readonly sender: Address
  readonly isSuccess: boolean
}

/** Lists the operations that a trusted EntryPoint logged, in the order of their events. */
function findOperations(logs: readonly EntryPointLog[]): readonly Operation[] {
  const boundaries = new Map<string, number>()
  const operations: Operation[] = []
  for (const log of logs.toSorted((left, right) => left.logIndex - right.logIndex)) {
    const entryPoint = log.address.toLowerCase()
    if (!ENTRY_POINTS.has(entryPoint)) continue
    const [event = '0x', , sender] = log.topics
    if (event === USER_OPERATION && sender !== undefined) {
      const from = boundaries.get(entryPoint)
      if (from !== undefined) operations.push({ from, to: log.logIndex, ...readOperation(log, sender) })
    } else if (!EXECUTION_BEGINS.has(event)) continue
    boundaries.set(entryPoint, log.logIndex)
  }
  return operations
}

/** The event's data consists of nonce, success, cost and gas, one word each. */
function readOperation({ data }: EntryPointLog, sender: Hex): Pick<Operation, 'sender' | 'isSuccess'> {
  const success = data.slice(2 + 64, 2 + 128)
  return { sender: `0x${sender.slice(-40)}`.toLowerCase() as Address, isSuccess: /^0{63}1$/.test(success) }
}
