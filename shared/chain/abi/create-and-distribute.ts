import { paymentSplitAbi } from './payment-split.ts'
import { paymentSplitFactoryAbi } from './payment-split-factory.ts'

/** The distribution call and the errors with which it may revert. The factory passes on the split's own errors. */
export const CREATE_AND_DISTRIBUTE = {
  abi: [...paymentSplitFactoryAbi, ...paymentSplitAbi.filter(({ type }) => type === 'error')],
  functionName: 'createAndDistribute',
}
