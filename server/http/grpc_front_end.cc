#include "server/http/grpc_front_end.h"

namespace rewrought::rpc {

absl::StatusOr<std::unique_ptr<GrpcFrontEnd>> GrpcFrontEnd::Start(const GrpcFrontEndOptions& options,
                                                                  const TlsFiles& tls,
                                                                  std::unique_ptr<GrpcGateway> gateway,
                                                                  MemoryBudget* memory, Metrics* metrics) {
  std::unique_ptr<GrpcFrontEnd> front(new GrpcFrontEnd(options, std::move(gateway)));
  absl::StatusOr<SslContext> context = TlsContext(tls, true);
  if (!context.ok()) return context.status();
  front->listener_ = std::make_unique<Listener>(options.connections, *std::move(context), &metrics->grpc, "");
  front->shared_.limits = options.limits;
  front->shared_.listener = front->listener_->state();
  front->shared_.gateway = front->gateway_.get();
  front->shared_.memory = memory;
  const absl::Status started = front->listener_->Start(
      &front->options_.address,
      [shared = &front->shared_](auto socket, auto* ssl) { return MakeGrpcSession(shared, std::move(socket), ssl); });
  if (!started.ok()) return started;
  return front;
}

GrpcFrontEnd::~GrpcFrontEnd() {
  Stop();
  Join();
}

void GrpcFrontEnd::Stop() {
  if (listener_ != nullptr) listener_->Stop();
}

void GrpcFrontEnd::Join() {
  gateway_->Wait();
  if (listener_ != nullptr) listener_->Join();
}

}  // namespace rewrought::rpc
