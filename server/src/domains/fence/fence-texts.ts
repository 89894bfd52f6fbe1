/** Store of a fence: an object in a bucket, or the term in NATS. */
export type FenceKind = 'bucket' | 'term';

const common = {
  copy: 'Another server with the data of this one has renewed the fence. Only one of them may run: stop it, or run `groundctl fence take` here.',
  taken:
    'Another server has taken the fence, so this one is read-only. Stop it, or run `groundctl fence take` here if the other one is gone.',
  contested: 'Another server took the fence at the same time. Read it, and try again if it is right.',
  old: 'Another server may have written since, so the ledger of this one is out of date. Stop this server, run `groundctl restore mark` on its data folder, start it again, and take the fence then.',
} as const;

const texts = {
  bucket: {
    ...common,
    foreign: 'The fence belongs to another installation. Give this one another prefix in GROUNDCTL_FENCE_URL.',
    gone: 'The object of the fence is gone from the bucket. If no other server writes, run `groundctl fence take`.',
    garbled: 'The object in the bucket is not a fence. Check GROUNDCTL_FENCE_URL.',
    lied: 'The bucket did not return what was written to it, so nothing can be concluded from it.',
    noAnswer: 'The bucket of the fence did not answer in time. Check the network and GROUNDCTL_FENCE_URL.',
  },
  term: {
    ...common,
    old: 'Another server may have written since, so the ledger of this one is out of date. Do not start it again: promote a copy with `groundctl promote`.',
    foreign: 'The term in NATS belongs to another installation. Check GROUNDCTL_NATS_URL.',
    gone: 'NATS has lost its store and holds no term. If no other server writes, run `groundctl fence take`.',
    garbled: 'NATS holds something else than a term. Check GROUNDCTL_NATS_URL.',
    lied: 'NATS did not return the term that was written to it, so nothing can be concluded from it.',
    noAnswer: 'NATS did not answer in time. Check it, the network and GROUNDCTL_NATS_URL.',
  },
} as const satisfies Record<FenceKind, object>;

/** Sentences about a fence, in the words of its store. */
export const fenceTextsOf = (kind: FenceKind): FenceTexts => texts[kind];
export type FenceTexts = (typeof texts)[FenceKind];
export const lostTexts = { copy: common.copy, taken: common.taken };
