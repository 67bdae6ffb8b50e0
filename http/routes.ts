// Every route of the service.
import { mcpRoutes } from './mcp/route.ts';
import type { Route } from './route.ts';
import { documentRoutes } from './routes/document.ts';
import { eventRoutes } from './routes/events.ts';
import { faceRoutes } from './routes/faces.ts';
import { healthRoutes } from './routes/health.ts';
import { analysisDataRoutes, libraryRoutes } from './routes/library.ts';
import { listRoutes, sidecarRoutes, timelineRoutes } from './routes/lists.ts';
import { linkRoutes, mediaRoutes, sceneRoutes, thumbnailRoutes } from './routes/media.ts';
import { modelPullRoutes, modelRoutes } from './routes/models.ts';
import { pageRoutes } from './routes/page.ts';
import { rootRoutes } from './routes/roots.ts';
import { savedSearchRoutes } from './routes/saved-searches.ts';
import { facetRoutes, momentRoutes, searchRoutes, seenRoutes, writtenRoutes } from './routes/search.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { summaryRoutes } from './routes/summaries.ts';
import { analyzeRoutes, clipRoutes, proxyRoutes, taskRoutes } from './routes/tasks.ts';
import { exportRoutes, speakerRoutes, transcriptionRoutes } from './routes/transcriptions.ts';
import { watchFolderRoutes } from './routes/watch-folders.ts';
import { webhookRoutes } from './routes/webhooks.ts';

const described: readonly Route[] = [
  ...healthRoutes,
  ...sessionRoutes,
  ...modelRoutes,
  ...modelPullRoutes,
  ...analysisDataRoutes,
  ...analyzeRoutes,
  ...taskRoutes,
  ...eventRoutes,
  ...mediaRoutes,
  ...linkRoutes,
  ...proxyRoutes,
  ...libraryRoutes,
  ...thumbnailRoutes,
  ...facetRoutes,
  ...sceneRoutes,
  ...seenRoutes,
  ...searchRoutes,
  ...momentRoutes,
  ...savedSearchRoutes,
  ...transcriptionRoutes,
  ...writtenRoutes,
  ...speakerRoutes,
  ...faceRoutes,
  ...summaryRoutes,
  ...exportRoutes,
  ...clipRoutes,
  ...timelineRoutes,
  ...sidecarRoutes,
  ...listRoutes,
  ...rootRoutes,
  ...watchFolderRoutes,
  ...webhookRoutes,
  ...pageRoutes,
];

export const routes: readonly Route[] = [...described, ...documentRoutes(described), ...mcpRoutes];
