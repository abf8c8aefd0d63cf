import { paymentSplitAbi } from './payment-split.ts'
import { paymentSplitFactoryAbi } from './payment-split-factory.ts'

/** The distribution call and its possible reverts; the factory passes on the split's own errors. */
export const CREATE_AND_DISTRIBUTE = {
  abi: [...paymentSplitFactoryAbi, ...paymentSplitAbi.filter(({ type }) => type === 'error')],
  functionName: 'createAndDistribute',
}
