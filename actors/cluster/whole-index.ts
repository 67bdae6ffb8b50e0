// The index for work on the whole library, on its replica: clusterings and summaries are read and made here,
// and what they store is a change of the log.
import type { Reply, Request } from '../../runtime/contract.ts';
import { redirected } from '../../runtime/redirected.ts';
import type { Ref } from '../../runtime/ref.ts';
import type { indexContract } from '../index/contract.ts';
import type { Write, WriteMessage } from '../index/replica/contract.ts';
import type { NewSummaryNode } from '../index/summaries/contract.ts';
import { type ClusterWrites, workWithin } from './writes.ts';

type Contract = typeof indexContract;
type Index = Ref<Contract>;

type Send = (write: Write) => Promise<unknown>;

/** A summary that is being written. */
interface Draft {
  readonly begin: WriteMessage;
  readonly nodes: Map<string, NewSummaryNode>;
}

/** Nodes of one message. */
const TOGETHER = 100;

/** `ending`: this engine stops; nothing that it waits for is waited for any more. */
export function wholeIndex(index: Index, writes: ClusterWrites, ending: AbortSignal): Index {
  const send: Send = (write) => writes.send(write, ending, workWithin);
  const drafts = new Drafts(send);
  const clusterings = new Map<number, WriteMessage & { readonly digest: string }>();
  const writing = writes.index();
  const handlers: { [name: string]: (request: never) => unknown } = {
    // The replica has what a file is from the log.
    remember: () => ({}),
    begin_clustering: async (request: Request<Contract, 'begin_clustering'>) => {
      const answer = await index.ask('begin_clustering', request);
      const { cache_dir: _, begun: _begun, ...fields } = request;
      const { digest } = answer;
      clusterings.set(answer.clustering, { name: 'begin_clustering', request: fields, digest });
      return answer;
    },
    commit_clustering: async ({ clustering, ...fields }: Request<Contract, 'commit_clustering'>) => {
      const { digest, ...begin } = clusterings.get(clustering)!;
      const commit = { name: 'commit_clustering', request: { ...fields, digest } };
      return send([begin, commit]);
    },
    end_clustering: (request: Request<Contract, 'end_clustering'>) => {
      clusterings.delete(request.clustering);
      return index.ask('end_clustering', request);
    },
    set_edges: ({ cache_dir: _, ...request }: Request<Contract, 'set_edges'>) =>
      send([{ name: 'set_edges', request }]),
    begin_summary: (request: Request<Contract, 'begin_summary'>) => drafts.begin(request),
    kept_nodes: () => ({ nodes: [], next: null }),
    append_nodes: (request: Request<Contract, 'append_nodes'>) => drafts.append(request),
    commit_summary: (request: Request<Contract, 'commit_summary'>) => drafts.commit(request),
    abort_summary: ({ stage }: Request<Contract, 'abort_summary'>) => drafts.drop(stage),
  };
  return redirected(index, async (name, request, options) => {
    const answered = handlers[name];
    if (answered !== undefined) return (await answered(request as never)) as never;
    return writing.ask(name, request, options);
  });
}

/** Summaries that are in memory until they are whole. */
class Drafts {
  readonly #send: Send;
  readonly #open = new Map<number, Draft>();
  #last = 0;

  constructor(send: Send) {
    this.#send = send;
  }

  begin({ cache_dir: _, ...request }: Request<Contract, 'begin_summary'>): Reply<Contract, 'begin_summary'> {
    this.#open.set(++this.#last, { begin: { name: 'begin_summary', request }, nodes: new Map() });
    return { stage: this.#last, stored_nodes: 0 };
  }

  append({ stage, nodes }: Request<Contract, 'append_nodes'>): Reply<Contract, 'append_nodes'> {
    const draft = this.#open.get(stage)!;
    for (const node of nodes) draft.nodes.set(node.node_id, node);
    return { nodes: draft.nodes.size };
  }

  async commit({ stage, ...request }: Request<Contract, 'commit_summary'>): Promise<unknown> {
    const { begin, nodes } = this.#open.get(stage)!;
    const all = [...nodes.values()];
    const pages = Array.from({ length: Math.ceil(all.length / TOGETHER) }, (_, i) => ({
      name: 'append_nodes',
      request: { nodes: all.slice(i * TOGETHER, (i + 1) * TOGETHER) },
    }));
    const commit = { name: 'commit_summary', request };
    const answer = await this.#send([begin, ...pages, commit]);
    this.#open.delete(stage);
    return answer;
  }

  drop(stage: number): Reply<Contract, 'abort_summary'> {
    this.#open.delete(stage);
    return {};
  }
}
